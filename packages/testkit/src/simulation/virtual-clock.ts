/** Virtual clock that advances on request. */
import type { Clock } from "@ganeti-ts/protocol";

interface Timer {
  readonly atMs: number;
  /** Position in the order of all timers; those of the same time fire in this order. */
  readonly order: number;
  /** Undefined once it has fired or was stopped. */
  action: (() => void) | undefined;
}

/** Clock for tests: time stands still until `pass`. Setting, stopping and firing a timer costs O(log timers). */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #order = 0;
  /** Binary heap, earliest first; contains stopped timers until they are due. */
  #timers: Timer[] = [];
  #stopped = 0;

  now = (): number => this.#nowMs;
  wallMicros = (): number => 1_700_000_000_000_000 + Math.round(this.#nowMs * 1000);

  after(delayMs: number, then: () => void): () => void {
    const timer: Timer = { atMs: this.#nowMs + delayMs, order: this.#order++, action: then };
    this.#add(timer);
    return () => {
      if (timer.action === undefined) return;
      timer.action = undefined;
      if (++this.#stopped > 1000 && 2 * this.#stopped > this.#timers.length) this.#dropStopped();
    };
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.length - this.#stopped;
  }

  /** Fires due timers on the way, and lets their consequences run. Ends early once `isOver` returns true, which it calls before each timer. */
  async pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      if (isOver()) return;
      const next = this.#takeDue(endMs);
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      const { action } = next;
      next.action = undefined;
      action?.();
    }
    this.#nowMs = endMs;
    await settled();
  }

  /** Removes the earliest timer that is due by then and was not stopped. */
  #takeDue(endMs: number): Timer | undefined {
    for (;;) {
      const first = this.#timers[0];
      if (first === undefined || first.atMs > endMs) return undefined;
      this.#removeFirst();
      if (first.action !== undefined) return first;
      this.#stopped--;
    }
  }

  #add(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isEarlier(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  #removeFirst(): void {
    const heap = this.#timers;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isEarlier(heap[child + 1] as Timer, heap[child] as Timer)) {
        child++;
      }
      if (!isEarlier(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
  }

  /** A sorted list is a heap. */
  #dropStopped(): void {
    this.#timers = this.#timers
      .filter(({ action }) => action !== undefined)
      .sort((a, b) => a.atMs - b.atMs || a.order - b.order);
    this.#stopped = 0;
  }
}

const isEarlier = (a: Timer, b: Timer): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Resolves after all tasks that are ready to run. */
export const settled = (): Promise<void> => new Promise((then) => setImmediate(then));
