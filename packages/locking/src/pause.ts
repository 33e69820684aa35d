/** Waiting for time to pass. */
import type { CancelSignal, Clock } from "./clock.js";

/** Resolves after `delayMs`, rejects as soon as the signal aborts. */
export function pause(
  clock: Clock,
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
