import type { CancelSignal } from "@ganeti-ts/protocol";
import type { NodeAnswer } from "./node-answer.js";

/**
 * Makes nodes refuse the calls of workers that were found dead.
 *
 * A dead worker may only be paused, and its calls may be under way. Once `fence` has answered for a node,
 * no call with one of these leases takes effect there any more. How this is done is up to the back end:
 * nodes that know leases refuse them; nodes that do not can be left alone until every call of the worker
 * has timed out.
 */
export interface Fence {
  /** May be repeated. Never rejects. */
  fence(node: string, leases: readonly string[], signal: CancelSignal): Promise<NodeAnswer<null>>;
}
