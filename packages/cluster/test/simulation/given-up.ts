// Abandoned calls to nodes: the caller stops waiting, and the node completes its operation.

import { failed, type NodeAnswer } from "@ganeti-ts/node-calls";
import type { CancelSignal } from "@ganeti-ts/protocol";

export const unending: CancelSignal = {
  aborted: false,
  reason: undefined,
  addEventListener() {},
  removeEventListener() {},
};

export function unlessGivenUp<T>(
  done: Promise<NodeAnswer<T>>,
  signal: CancelSignal,
): Promise<NodeAnswer<T>> {
  return new Promise((resolve) => {
    const giveUp = () => resolve(failed("Call was given up"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp);
    void done.then(resolve).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
