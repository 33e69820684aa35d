/** Who waits, in which order, and whom those in front keep back. */
import { groupLockOf, type LockName } from "./lock-name.js";
import { ownerKey } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { WaitRow } from "./lock-rows.js";

/** A lock wanted in a mode. */
export interface Wish {
  readonly lock: LockName;
  readonly mode: LockMode;
}

/** Where a request stands, or would stand. */
export type Place = Pick<WaitRow, "priority" | "place" | "arrival">;

export interface Wait extends WaitRow {
  readonly key: string;
  /** The one lock it queues for, where it is a barrier to those behind; batches of several are none. */
  readonly queuedFor: Wish | undefined;
}

export function waitOf(row: WaitRow): Wait {
  return { ...row, key: ownerKey(row.owner), queuedFor: queuedWish(row) };
}

export function rowOf({ key: _key, queuedFor: _queuedFor, ...row }: Wait): WaitRow {
  return row;
}

/** What a request asks to hold, without what it gives back. */
export function wishesOf(requests: readonly LockRequest[]): Wish[] {
  return requests.flatMap(({ lock, mode }) => (mode === "release" ? [] : [{ lock, mode }]));
}

function queuedWish({ requests, definite }: WaitRow): Wish | undefined {
  const wishes = wishesOf(requests);
  return definite || wishes.length === 1 ? wishes[0] : undefined;
}

/** Same lock, or one is the group lock of the other; and one of the two is exclusive. */
function conflict(a: Wish, b: Wish): boolean {
  if (a.mode === "shared" && b.mode === "shared") return false;
  return a.lock === b.lock || groupLockOf(a.lock) === b.lock || groupLockOf(b.lock) === a.lock;
}

/** Waiting requests in the order (priority, place, arrival), one per owner. */
export class Waits {
  readonly #byOwner = new Map<string, Wait>();
  #ordered: Wait[] = [];

  get(key: string): Wait | undefined {
    return this.#byOwner.get(key);
  }

  /** A snapshot: stays as it is when waits come and go. */
  ordered(): readonly Wait[] {
    return this.#ordered;
  }

  set(wait: Wait): void {
    const others = this.#ordered.filter(({ key }) => key !== wait.key);
    const at = others.findIndex((other) => standsBefore(wait, other));
    others.splice(at < 0 ? others.length : at, 0, wait);
    this.#ordered = others;
    this.#byOwner.set(wait.key, wait);
  }

  delete(key: string): void {
    if (this.#byOwner.delete(key)) this.#ordered = this.#ordered.filter((wait) => wait.key !== key);
  }

  /** Where a new request would stand: with those who share its wish, else behind its priority. */
  placeFor(wish: Wish | undefined, priority: number): Place {
    const arrival = this.#ordered.reduce((last, wait) => Math.max(last, wait.arrival), 0) + 1;
    const entry = wish && this.#openEntry(wish, priority);
    return { priority, place: entry?.place ?? arrival, arrival };
  }

  #openEntry(wish: Wish, priority: number): Wait | undefined {
    if (wish.mode === "exclusive") return undefined;
    return this.#ordered.find((wait) => wait.priority === priority && sharesEntry(wait, wish));
  }

  /**
   * The queued entries that stand before `place` and conflict with any of the wishes, those of `key`
   * itself left out, first to last: each as the list of its members. Cost of all: the number of
   * waiting requests.
   */
  *entriesBefore(key: string, wishes: readonly Wish[], place: Place): Generator<readonly Wait[]> {
    let entry: Wait[] = [];
    for (const wait of this.#ordered) {
      if (!standsBefore(wait, place) || wait.place === place.place) break;
      const { queuedFor } = wait;
      if (queuedFor === undefined || wait.key === key) continue;
      if (!wishes.some((wish) => conflict(queuedFor, wish))) continue;
      if (entry[0] !== undefined && entry[0].place !== wait.place) {
        yield entry;
        entry = [];
      }
      entry.push(wait);
    }
    if (entry.length > 0) yield entry;
  }
}

function sharesEntry({ queuedFor }: Wait, wish: Wish): boolean {
  return queuedFor?.mode === "shared" && queuedFor.lock === wish.lock;
}

function standsBefore(a: Place, b: Place): boolean {
  return (a.priority - b.priority || a.place - b.place || a.arrival - b.arrival) < 0;
}
