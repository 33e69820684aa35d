// Calls that nobody waits for any more: the node ends what it has begun.
import type { CancelSignal } from "@ganeti-ts/locking";
import { failed, type NodeAnswer } from "../../src/index.js";

export const unending: CancelSignal = {
  ...{ aborted: false, reason: undefined },
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
