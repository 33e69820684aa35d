/** Waits for a condition, on the clock of the daemon. */
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";

interface Patience {
  readonly everyMs: number;
  /** Each pause is so many times as long as the previous one, up to `everyMsMax`. Default 1. */
  readonly factor?: number;
  readonly everyMsMax?: number;
  readonly forMs: number;
}

/** Calls `isDone` every `everyMs` for at most `forMs`, and once at the end; returns its last answer. */
export async function waitFor(
  { clock }: Pick<NodeContext, "clock">,
  isDone: () => Promise<boolean>,
  { everyMs, factor = 1, everyMsMax = everyMs, forMs }: Patience,
): Promise<boolean> {
  const end = clock.now() + forMs;
  for (let delayMs = everyMs; ; delayMs = Math.min(delayMs * factor, everyMsMax)) {
    if (await isDone()) return true;
    const left = end - clock.now();
    if (left <= 0) return false;
    await pause(clock, Math.min(delayMs, left));
  }
}
