/** Calls that keep copies of the job queue. */
import type { QueueCalls } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { content, path } from "./files.js";
import { listOf, noArguments, plain, positional } from "./format.js";

const rename = positional<{ from: string; to: string }>(["from", path], ["to", path]);

export const queueWires: CallWires<keyof QueueCalls> = {
  jobqueue_update: { arguments: positional(["path", path], ["content", content]), value: plain },
  jobqueue_rename: { arguments: positional(["renames", listOf(rename)]), value: plain },
  jobqueue_purge: { arguments: noArguments, value: plain },
  jobqueue_set_drain_flag: { arguments: positional(["drained", plain]), value: plain },
};
