/** retried: repeats an action until it succeeds or its time limit is reached. */
import { type Clock, pause } from "@ganeti-ts/protocol";

interface Tries {
  /** First pause (ms); each following pause is `factor` times as long as the previous one, up to `limitMs`. */
  readonly startMs: number;
  readonly factor: number;
  readonly limitMs: number;
  readonly forMs: number;
}

/** False if the time limit was reached. It is checked after each attempt, so the last pause may exceed it. */
export async function retried(
  { clock }: { readonly clock: Clock },
  { startMs, factor, limitMs, forMs }: Tries,
  action: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.now() + forMs;
  for (let delayMs = startMs; ; delayMs = Math.min(delayMs * factor, limitMs)) {
    if (await action()) return true;
    if (clock.now() >= end) return false;
    await pause(clock, delayMs);
  }
}
