/** Virtual clock that advances on request. */
import type { Timers } from "@ganeti-ts/protocol";

interface Timer {
  readonly at: number;
  readonly then: () => void;
}

export class VirtualClock implements Timers {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, then: () => void): () => void {
    const timer = { at: this.#now + delayMs, then };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Lets `ms` pass, each timer at its moment and with all that promises make of it. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((other) => other !== next);
      next.then();
    }
    this.#now = end;
  }
}

/** Everything that promises can do without time has been done. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
