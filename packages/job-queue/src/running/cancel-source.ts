/** Source of a cancel signal: an AbortController for a package without globals. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** A cancel signal and the function that fires it. Each job has one: without listeners it is a small object. */
export class CancelSource {
  readonly #signal = new Signal();

  get signal(): CancelSignal {
    return this.#signal;
  }

  /** Only the first call has an effect. */
  fire(reason: unknown): void {
    this.#signal.fire(() => reason);
  }

  /** Like `fire`, with a reason that is made when it is first read: most errors never are. */
  fireLazily(reason: () => unknown): void {
    this.#signal.fire(reason);
  }
}

class Signal implements CancelSignal {
  #reasonOf: (() => unknown) | undefined;
  #reason: unknown;
  #listeners: Set<() => void> | undefined;
  aborted = false;

  get reason(): unknown {
    this.#reason ??= this.#reasonOf?.();
    return this.#reason;
  }

  addEventListener(_: "abort", listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  fire(reason: () => unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reasonOf = reason;
    for (const listener of [...(this.#listeners ?? [])]) listener();
  }
}
