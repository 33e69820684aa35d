/** Jobs from an allocator's answer, ready to be submitted. */

import { ExecError } from "@ganeti-ts/job-queue";
import type { JsonObject } from "@ganeti-ts/protocol";
import { info, warn } from "../unit/effects.js";
import type { ChildJobs, World } from "../unit/unit.js";

interface Evacuated {
  readonly moved: readonly {
    readonly name: string;
    readonly group: string;
    readonly nodes: readonly string[];
  }[];
  readonly failed: readonly { readonly name: string; readonly reason: string | null }[];
  readonly jobs: readonly (readonly JsonObject[])[];
}

/**
 * The jobs; the log names the instances they move and their targets. @throws ExecError if an
 * instance cannot be moved
 */
export function evacuationJobs(
  world: World,
  { moved, failed, jobs }: Evacuated,
  {
    earlyRelease,
    shownBy,
  }: { readonly earlyRelease: boolean; readonly shownBy: "nodes" | "group" },
): ChildJobs {
  if (failed.length > 0) {
    const reasons = failed.map(({ name, reason }) => `${name} (${reason ?? "None"})`).join(", ");
    const text = `Unable to evacuate instances ${reasons}`;
    warn(world, text);
    throw new ExecError(text);
  }
  if (moved.length > 0) {
    const moves = moved.map(
      ({ name, group, nodes }) => `${name} (to ${shownBy === "nodes" ? nodes.join(", ") : group})`,
    );
    info(world, `Instances to be moved: ${moves.join(", ")}`);
  }
  return jobs.map((job) =>
    job.map((opcode) =>
      opcode.OP_ID === "OP_INSTANCE_REPLACE_DISKS"
        ? { ...opcode, early_release: earlyRelease }
        : opcode,
    ),
  );
}
