/** CancelSignal: tells an operation to stop. */
import type { Timers } from "./clock.js";

/** The part of `AbortSignal` that is used; every `AbortSignal` is assignable. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A signal that never fires. */
export const noSignal: CancelSignal = {
  aborted: false,
  reason: undefined,
  addEventListener() {},
  removeEventListener() {},
};

/** Resolves after `delayMs`; rejects with the signal's reason as soon as the signal aborts. */
export function pause(
  clock: Pick<Timers, "after">,
  delayMs: number,
  signal?: CancelSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      stop();
      signal?.removeEventListener("abort", onAbort);
      reject(signal?.reason);
    };
    const stop = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort);
  });
}
