/** Data of instances, from OP_INSTANCE_QUERY_DATA. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { LogEntry } from "../cluster.js";
import type { Invocation } from "../invocation.js";
import { runJob } from "../jobs/follow.js";
import { opcode } from "../opcode.js";
import { askOneByOne } from "./one-by-one.js";

/** The named instances, or all. Without `isStatic` their nodes are queried as well. */
export async function instanceData(
  invocation: Invocation,
  names: readonly string[],
  isStatic: boolean,
): Promise<Readonly<Record<string, JsonObject>>> {
  const found = await askOneByOne(invocation, "instance", names, async (instances) => {
    const parts = { instances, static: isStatic, use_locking: !isStatic };
    const asked = opcode("OP_INSTANCE_QUERY_DATA", parts);
    const [result] = await runJob(invocation, [asked], { skips: isAboutLocks });
    return result as Record<string, JsonObject>;
  });
  return Object.assign({}, ...found);
}

/** A remote API of Ganeti cannot request locks: then the job takes them anyway, with a warning. */
const isAboutLocks = ({ message }: LogEntry): boolean =>
  message === " - WARNING: Non-static data requested, locks need to be acquired";
