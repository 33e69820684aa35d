/** Clock: time as every package gets it; a simulated one serves as well as the machine's. */

/** A monotonic clock with timers. */
export interface Timers {
  /** Milliseconds since any fixed moment; never goes back. */
  now(): number;
  /** Calls `then` once, not before `delayMs` have passed; the returned function cancels it. */
  after(delayMs: number, then: () => void): () => void;
}

/** The time of day. */
export interface TimeOfDay {
  /** Whole microseconds since the epoch; may jump. */
  wallMicros(): number;
}

/** Timers and the time of day. */
export interface Clock extends Timers, TimeOfDay {}

// The part of these globals that browsers and Node have in common; the language itself has no timers.
declare function setTimeout(then: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare const performance: { readonly timeOrigin: number; now(): number };

/** Longer delays make `setTimeout` fire at once. */
const delayMaxMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, then) {
    const timer = setTimeout(then, Math.min(Math.max(delayMs, 0), delayMaxMs));
    return () => clearTimeout(timer);
  },
  /**
   * To the microsecond. The finer clock is set when the process starts; where the time of day has been
   * changed since, the coarser one counts.
   */
  wallMicros() {
    const fine = performance.timeOrigin + performance.now();
    const coarse = Date.now();
    return Math.floor((Math.abs(fine - coarse) < 1000 ? fine : coarse) * 1000);
  },
};
