/** Clock: source of time for all packages, either the machine's or a simulated one. */

/** A monotonic clock with timers. */
export interface Timers {
  /** Monotonic time in milliseconds since an arbitrary start. */
  now(): number;
  /** Calls `then` once, after at least `delayMs`; the returned function cancels it. */
  after(delayMs: number, then: () => void): () => void;
}

/** The time of day. */
export interface TimeOfDay {
  /** Whole microseconds since the epoch; may jump. */
  wallMicros(): number;
}

/** Timers and the time of day. */
export interface Clock extends Timers, TimeOfDay {}

// Globals common to browsers and Node; the language itself has no timers.
declare function setTimeout(then: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare const performance: { readonly timeOrigin: number; now(): number };

/** `setTimeout` fires immediately for longer delays. */
const delayMaxMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, then) {
    const timer = setTimeout(then, Math.min(Math.max(delayMs, 0), delayMaxMs));
    return () => clearTimeout(timer);
  },
  /**
   * Accurate to the microsecond. The finer clock is set when the process starts; if the time of day has been
   * changed since, the coarser one is used.
   */
  wallMicros() {
    const fine = performance.timeOrigin + performance.now();
    const coarse = Date.now();
    return Math.floor((Math.abs(fine - coarse) < 1000 ? fine : coarse) * 1000);
  },
};
