/** Reason files: why an instance is in its state, stored on the node for monitoring. */
import { join } from "node:path";
import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { writeJson } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { asFileName, makeFolder, replaceFile } from "./state-files.js";

type Reason = NonNullable<NodeCallArguments<"instance_start">["reason"]>;

/** Stores the reason trail of a call, followed by an entry of this daemon. */
export async function keepReason(
  { paths, clock }: Pick<NodeContext, "paths" | "clock">,
  instance: string,
  reason: Reason | undefined,
  what: "start" | "shutdown" | "reboot",
): Promise<void> {
  const folder = join(paths.run, "instance-reason");
  await makeFolder(folder, 0o755);
  const entry = [`gnt:daemon:noded:${what}`, "", BigInt(Math.round(clock.wallMicros())) * 1000n];
  // A JavaScript number cannot hold all digits of a time in nanoseconds.
  const text = writeJson([...(reason ?? []), entry]);
  await replaceFile(join(folder, asFileName(instance)), text, 0o644);
}
