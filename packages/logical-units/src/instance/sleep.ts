/** Letting time pass in a unit. */
import type { World } from "../unit.js";

/** Ends early, with the signal's reason, when the job may not go on. */
export function sleep({ clock, signal }: World, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => {
      signal.removeEventListener("abort", end);
      resolve();
    });
    const end = () => {
      stop();
      signal.removeEventListener("abort", end);
      reject(signal.reason);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}
