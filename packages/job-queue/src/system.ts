/** Time and chance of the machine. */
import { systemClock as timers } from "@ganeti-ts/locking";
import type { Clock, Random } from "./ports.js";

// What browsers and Node have in common.
declare const performance: { readonly timeOrigin: number; now(): number };

/** Wall time to the microsecond: `Date.now` knows milliseconds only. */
export const systemClock: Clock = {
  now: () => timers.now(),
  after: (delayMs, then) => timers.after(delayMs, then),
  wallMicros: () => Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000),
};

export const systemRandom: Random = { fraction: () => Math.random() };
