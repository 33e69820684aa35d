/** DueTimes: finds the nodes that are due without examining the others. */
import type { NodeUuid } from "@ganeti-ts/protocol";

/** Nodes by the time at which each is due, in buckets of equal width. */
export class DueTimes {
  readonly #bucketMs: number;
  readonly #dueAt = new Map<NodeUuid, number>();
  /** By number; a node whose time was changed stays in its earlier bucket until that is emptied. */
  readonly #buckets = new Map<number, Set<NodeUuid>>();
  /** Number of the first bucket that may contain nodes. */
  #first = 0;

  constructor(bucketMs: number) {
    this.#bucketMs = Math.max(1, bucketMs);
  }

  /** Sets the time (ms) of a node, in place of an earlier one. O(1). */
  set(node: NodeUuid, dueAt: number): void {
    this.#dueAt.set(node, dueAt);
    const number = this.#numberOf(dueAt);
    const bucket = this.#buckets.get(number);
    if (bucket === undefined) this.#buckets.set(number, new Set([node]));
    else bucket.add(node);
    this.#first = Math.min(this.#first, number);
  }

  delete(node: NodeUuid): void {
    this.#dueAt.delete(node);
  }

  /** Removes and returns all nodes that are due by then. O(1) for each, and for each bucket since the last call. */
  take(time: number): NodeUuid[] {
    const due: NodeUuid[] = [];
    const last = this.#numberOf(time);
    for (let number = this.#first; number <= last && this.#buckets.size > 0; number++) {
      const bucket = this.#buckets.get(number) ?? [];
      const later = new Set<NodeUuid>();
      for (const node of bucket) {
        const dueAt = this.#dueAt.get(node);
        if (dueAt === undefined || this.#numberOf(dueAt) !== number) continue;
        if (dueAt > time) later.add(node);
        else if (this.#dueAt.delete(node)) due.push(node);
      }
      if (later.size > 0) this.#buckets.set(number, later);
      else this.#buckets.delete(number);
    }
    this.#first = Math.max(this.#first, last);
    return due;
  }

  #numberOf(time: number): number {
    return Math.floor(time / this.#bucketMs);
  }
}
