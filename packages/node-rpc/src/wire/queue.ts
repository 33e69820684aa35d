/** Calls that keep copies of the job queue. */
import type { QueueCalls } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { content, path } from "./files.js";
import { listOf, noArguments, positional } from "./format.js";

const rename = positional<{ from: string; to: string }>(["from", path], ["to", path]);

export const queueWires: CallWires<keyof QueueCalls> = {
  jobqueue_update: positional(["path", path], ["content", content]),
  jobqueue_rename: positional(["renames", listOf(rename)]),
  jobqueue_purge: noArguments,
  jobqueue_set_drain_flag: positional("drained"),
};
