/** SharedAnswers: results of long computations, shared by equal questions about the same configuration. */
import type { Snapshot } from "@ganeti-ts/config";
import { CancelSource } from "@ganeti-ts/job-queue";
import type { CancelSignal, Timers } from "@ganeti-ts/protocol";

interface Known {
  readonly now: Snapshot;
  readonly answer: Promise<unknown>;
  readonly computing: CancelSource;
  askers: number;
  /** Time (ms) until which the answer is reused; infinite during the computation. */
  until: number;
}

/** Maximum number of cached answers. */
const knownMax = 32;

/** Cache of answers to questions of one kind. */
export class SharedAnswers {
  readonly #now: () => Snapshot;
  readonly #clock: Pick<Timers, "now">;
  readonly #ageMaxMs: number;
  /** Answers by question, oldest first. */
  readonly #known = new Map<string, Known>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param ageMaxMs time (ms) for which an answer is cached, limited because figures of nodes change; 0: not at all */
  constructor(now: () => Snapshot, clock: Pick<Timers, "now">, ageMaxMs = 0) {
    this.#now = now;
    this.#clock = clock;
    this.#ageMaxMs = ageMaxMs;
  }

  /**
   * The answer for the current configuration: a cached one, or the result of a running or new computation. Computations run
   * one at a time, and end when the signals of all their callers have aborted.
   * @throws the reason of the caller's signal as soon as that aborts
   */
  async ask<T>(
    question: unknown,
    compute: (signal: CancelSignal) => Promise<T>,
    signal?: CancelSignal,
  ): Promise<T> {
    if (signal?.aborted) throw signal.reason;
    const key = JSON.stringify(question);
    const known = this.#known.get(key);
    const isCurrent = known?.now === this.#now() && this.#clock.now() < known.until;
    return waitFor(isCurrent ? known : this.#begin(key, compute), signal) as Promise<T>;
  }

  #begin(key: string, compute: (signal: CancelSignal) => Promise<unknown>): Known {
    const computing = new CancelSource();
    const { signal } = computing;
    const answer = this.#last.then(() => {
      if (signal.aborted) throw signal.reason;
      return compute(signal);
    });
    const known: Known = { now: this.#now(), answer, computing, askers: 0, until: Infinity };
    const forget = () => {
      if (this.#known.get(key) === known) this.#known.delete(key);
    };
    signal.addEventListener("abort", forget);
    this.#last = answer.then(() => {
      known.until = this.#clock.now() + this.#ageMaxMs;
      if (this.#ageMaxMs === 0) forget();
    }, forget);
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = [...this.#known].find(([, { until }]) => until < Infinity) ?? [];
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

function waitFor(known: Known, signal: CancelSignal | undefined): Promise<unknown> {
  known.askers++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      known.askers--;
      if (known.askers === 0) known.computing.fire(signal?.reason);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    const stay = () => signal?.removeEventListener("abort", leave);
    known.answer.finally(stay).then(resolve, reject);
  });
}
