/** Time and cancellation as this package needs them; simulated ones serve as well as real ones. */

export interface Clock {
  /** Milliseconds since any fixed moment; never goes back. */
  now(): number;
  /** Calls `then` once, not before `delayMs` have passed; the answer takes that back. */
  after(delayMs: number, then: () => void): () => void;
}

/** The part of an `AbortSignal` that is used; every `AbortSignal` fits. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

// What browsers and Node have in common; the language itself has no timers.
declare function setTimeout(then: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare const performance: { now(): number };

/** Longer delays make `setTimeout` fire at once. */
const delayMaxMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, then) {
    const timer = setTimeout(then, Math.min(Math.max(delayMs, 0), delayMaxMs));
    return () => clearTimeout(timer);
  },
};
