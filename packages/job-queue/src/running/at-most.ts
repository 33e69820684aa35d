/** Wait with a time limit. */
import type { Clock } from "@ganeti-ts/protocol";

/** Resolves when `work` does, or after `limitMs`; the work itself goes on. Rejects if `work` rejects first. */
export async function atMost(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  let stopTimer = () => {};
  const timeOver = new Promise<void>((resolve) => {
    stopTimer = clock.after(limitMs, resolve);
  });
  try {
    await Promise.race([work, timeOver]);
  } finally {
    stopTimer();
  }
}
