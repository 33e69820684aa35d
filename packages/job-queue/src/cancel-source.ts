/** A signal that can be fired: what an AbortController is, in a package without globals. */
import type { CancelSignal } from "@ganeti-ts/protocol";

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

  /** The first call counts. */
  fire(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }
}
