/** Virtual clock that advances on request. */
import type { Clock } from "@ganeti-ts/protocol";

export class VirtualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly then: () => void }>();

  now = (): number => this.#nowMs;
  wallMicros = (): number => 1_700_000_000_000_000 + Math.round(this.#nowMs * 1000);

  after(delayMs: number, then: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, then };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Fires due timers on the way, and lets their consequences run. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.then();
    }
    this.#nowMs = endMs;
    await settled();
  }
}

/** After all tasks that are ready to run. */
const settled = (): Promise<void> => new Promise((then) => setImmediate(then));
