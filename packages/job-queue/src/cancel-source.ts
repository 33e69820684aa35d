/** Source of a cancel signal: an AbortController for a package without globals. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** A cancel signal and the function that fires it. */
export class CancelSource {
  #aborted = false;
  #reason: unknown;
  readonly #listeners = new Set<() => void>();

  readonly signal: CancelSignal;

  constructor() {
    const source = this;
    this.signal = {
      get aborted() {
        return source.#aborted;
      },
      get reason() {
        return source.#reason;
      },
      addEventListener: (_, listener) => this.#listeners.add(listener),
      removeEventListener: (_, listener) => this.#listeners.delete(listener),
    };
  }

  /** Only the first call has an effect. */
  fire(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }
}
