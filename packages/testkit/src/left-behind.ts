/** Endings of what tests leave running in a process that other files of tests use after them. */
import { type Clock, systemClock } from "@ganeti-ts/protocol";

const endings = new Set<() => void>();

/** Has `end` called once all tests of the file that runs now have ended. */
export const atEndOfFile = (end: () => void): void => void endings.add(end);

/** Ends what the tests of a file have left running; called by the set-up of tests. */
export function endFile(): void {
  for (const end of endings) end();
  endings.clear();
}

/** A clock for a server that a test leaves behind. Its timers end with the file of tests, or before by `stop`. */
export class StoppableClock implements Clock {
  readonly #clock: Clock;
  readonly #cancellations = new Set<() => void>();
  readonly #stop = () => this.stop();
  #isStopped = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    endings.add(this.#stop);
  }

  now(): number {
    return this.#clock.now();
  }

  wallMicros(): number {
    return this.#clock.wallMicros();
  }

  after(delayMs: number, then: () => void): () => void {
    if (this.#isStopped) return () => undefined;
    const cancel = this.#clock.after(delayMs, () => {
      this.#cancellations.delete(cancel);
      then();
    });
    this.#cancellations.add(cancel);
    return () => {
      this.#cancellations.delete(cancel);
      cancel();
    };
  }

  /** Cancels all timers; no further ones are set. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#cancellations) cancel();
    this.#cancellations.clear();
    endings.delete(this.#stop);
  }
}
