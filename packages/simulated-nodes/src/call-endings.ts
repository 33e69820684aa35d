/** CallEndings: answers of calls that take time, with one timer for those that end together. */
import { failed, type NodeAnswer, type NodeCaller } from "@ganeti-ts/node-calls";
import type { Timers } from "@ganeti-ts/protocol";

/** Calls that end together, in the order in which they were made. */
interface Ending {
  readonly atMs: number;
  readonly calls: (() => void)[];
}

/**
 * Ends of calls. A check of a large group makes hundreds of calls at the same time, which end at the same time: they
 * share a timer. Calls that end together take effect one after the other before any caller goes on.
 */
export class CallEndings {
  readonly #clock: Timers;
  #latest: Ending | undefined;

  constructor(clock: Timers) {
    this.#clock = clock;
  }

  /** The answer after the delay (ms, more than 0), or a failed one as soon as the signal is aborted. */
  answerAfter<T>(
    delayMs: number,
    end: () => NodeAnswer<T> | Promise<NodeAnswer<T>>,
    signal: NodeCaller["signal"] | undefined,
  ): Promise<NodeAnswer<T>> {
    return new Promise((resolve, reject) => {
      const stop = () => resolve(failed("Call was given up"));
      const ended = () => signal?.removeEventListener("abort", stop);
      this.#after(delayMs, () => {
        try {
          const answer = end();
          if (answer instanceof Promise) return void answer.finally(ended).then(resolve, reject);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
        ended();
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop);
    });
  }

  #after(delayMs: number, end: () => void): void {
    const atMs = this.#clock.now() + delayMs;
    if (this.#latest?.atMs === atMs) {
      this.#latest.calls.push(end);
      return;
    }
    const ending: Ending = { atMs, calls: [end] };
    this.#latest = ending;
    this.#clock.after(delayMs, () => {
      if (this.#latest === ending) this.#latest = undefined;
      for (const call of ending.calls) call();
    });
  }
}
