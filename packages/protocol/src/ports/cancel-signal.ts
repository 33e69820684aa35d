/** CancelSignal: tells an operation to stop. */
import type { Timers } from "./clock.js";

/** The part of `AbortSignal` that is used; every `AbortSignal` is assignable. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Resolves after `delayMs`; rejects with the signal's reason as soon as the signal aborts. */
export function pause(
  clock: Pick<Timers, "after">,
  delayMs: number,
  signal: CancelSignal | undefined,
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
