/** Time and chance of the machine. */
import { systemClock as timers } from "@ganeti-ts/locking";
import type { Clock, Random } from "./ports.js";

// What browsers and Node have in common.
declare const performance: { readonly timeOrigin: number; now(): number };

/**
 * Wall time to the microsecond. The finer clock is set when the process starts: where the time of day
 * has been changed since, the coarser one counts.
 */
function wallMicros(): number {
  const fine = performance.timeOrigin + performance.now();
  const coarse = Date.now();
  return Math.floor((Math.abs(fine - coarse) < 1000 ? fine : coarse) * 1000);
}

export const systemClock: Clock = {
  now: () => timers.now(),
  after: (delayMs, then) => timers.after(delayMs, then),
  wallMicros,
};

export const systemRandom: Random = { fraction: () => Math.random() };
