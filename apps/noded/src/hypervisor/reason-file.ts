/** Reasons of the state of instances, kept on the node for its monitoring. */
import { join } from "node:path";
import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { writeJson } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { asFileName, makeFolder, replaceFile } from "./state-files.js";

type Reason = NonNullable<NodeCallArguments<"instance_start">["reason"]>;

/** Writes the trail that a call has brought, with an entry of this daemon at its end. */
export async function keepReason(
  { paths, clock }: Pick<NodeContext, "paths" | "clock">,
  instance: string,
  reason: Reason | undefined,
  what: "start" | "shutdown" | "reboot",
): Promise<void> {
  const folder = join(paths.run, "instance-reason");
  await makeFolder(folder, 0o755);
  const entry = [`gnt:daemon:noded:${what}`, "", BigInt(Math.round(clock.wallMicros())) * 1000n];
  // Times in nanoseconds have more digits than a number of JavaScript.
  const text = writeJson([...(reason ?? []), entry]);
  await replaceFile(join(folder, asFileName(instance)), text, 0o644);
}
