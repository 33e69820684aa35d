// Virtual time: everything that happens later is an entry here, in an order that the seed decides.

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  isOff: boolean;
}

export class Timeline {
  now = 0;
  #order = 0;
  readonly #heap: Event[] = [];

  /** Gives how to take it back. */
  after(delayMs: number, run: () => void): () => void {
    const event = { at: this.now + Math.max(0, delayMs), order: this.#order++, run, isOff: false };
    this.#push(event);
    return () => {
      event.isOff = true;
    };
  }

  /** Runs events until `end`, or until `isOver`; all that follows from each before the next. */
  async runUntil(end: number, isOver: () => boolean): Promise<void> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > end || isOver()) return;
      this.#pop();
      if (next.isOff) continue;
      this.now = next.at;
      next.run();
      // Promises settle before the event loop turns.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event))
        child++;
      if (!isBefore(heap[child] as Event, last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Event, b: Event): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);
