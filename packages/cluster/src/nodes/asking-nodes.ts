/** Caller of node calls made outside of jobs; they change nothing that jobs rely on. */
import type { NodeCaller } from "@ganeti-ts/node-calls";
import { noSignal } from "@ganeti-ts/protocol";

/** Caller without a lease and without a way to cancel; calls end when nodes answer or time out. */
export const nobody: NodeCaller = { lease: "", signal: noSignal };
