import type { CancelSignal } from "@ganeti-ts/protocol";

/** Slots for calls to one node: at most `max` run, the others wait in the order of their arrival. */
export class Slots {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with true when a slot was acquired, which `release` frees; with false if the signal fired first. O(1). */
  take(signal: CancelSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#running < this.#max) {
      this.#running++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const finish = (taken: boolean) => {
        this.#waiting.delete(next);
        signal.removeEventListener("abort", cancel);
        resolve(taken);
      };
      const next = () => finish(true);
      const cancel = () => finish(false);
      this.#waiting.add(next);
      signal.addEventListener("abort", cancel);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    // The slot passes to the next in line.
    if (next) next();
    else this.#running--;
  }
}
