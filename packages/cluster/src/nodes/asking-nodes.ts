/** Caller of node calls made outside of jobs; they change nothing that jobs rely on. */
import type { NodeCaller } from "@ganeti-ts/node-calls";
import { noSignal } from "@ganeti-ts/protocol";

/** Waits without limit; nodes answer, or their calls time out. */
export const nobody: NodeCaller = { lease: "", signal: noSignal };
