/** Waiting requests, in order, with the barriers they form for those behind. */
import { groupLockOf, type LockName } from "./lock-name.js";
import { ownerKey } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { WaitRow } from "./lock-rows.js";
import { SortedList } from "./sorted-list.js";

/** A lock wanted in a mode. */
export interface Wish {
  readonly lock: LockName;
  readonly mode: LockMode;
}

/** Queue position of a request, existing or new. */
export type Place = Pick<WaitRow, "priority" | "place" | "arrival">;

export interface Wait extends WaitRow {
  readonly key: string;
  /** The single lock it queues for, if it is a barrier to those behind; batches of several locks are not. */
  readonly queuedFor: Wish | undefined;
}

export function waitOf(row: WaitRow): Wait {
  return { key: ownerKey(row.owner), queuedFor: queuedWish(row), ...row };
}

export function rowOf({ key: _key, queuedFor: _queuedFor, ...row }: Wait): WaitRow {
  return row;
}

/** Locks that a request wants to hold, without those it releases. */
export const wishesOf = (requests: readonly LockRequest[]): Wish[] =>
  requests.filter((request): request is Wish => request.mode !== "release");

function queuedWish({ requests, definite }: WaitRow): Wish | undefined {
  const wishes = wishesOf(requests);
  return definite || wishes.length === 1 ? wishes[0] : undefined;
}

/** The same lock, or one is the group lock of the other; and at least one wish is exclusive. */
function conflict(a: Wish, b: Wish): boolean {
  if (a.mode === "shared" && b.mode === "shared") return false;
  return a.lock === b.lock || groupLockOf(a.lock) === b.lock || groupLockOf(b.lock) === a.lock;
}

/** Waiting requests in the order (priority, place, arrival), one per owner. */
export class Waits {
  readonly #byOwner = new Map<string, Wait>();
  readonly #ordered = new SortedList<Wait>(comparePlaces);
  /** Queued requests, by the lock they queue for, and by its group lock. */
  readonly #queues = new Map<LockName, SortedList<Wait>>();
  readonly #queuesBelow = new Map<LockName, SortedList<Wait>>();
  /** Entries that others may still join, by priority and lock: their place and number of members. */
  readonly #sharedEntries = new Map<string, { readonly place: number; members: number }>();
  #lastArrival = 0;

  get(key: string): Wait | undefined {
    return this.#byOwner.get(key);
  }

  /** In order; the iterator is invalid after a change. */
  ordered(): Iterable<Wait> {
    return this.#ordered;
  }

  set(wait: Wait): void {
    this.delete(wait.key);
    this.#byOwner.set(wait.key, wait);
    this.#ordered.insert(wait);
    this.#lastArrival = Math.max(this.#lastArrival, wait.arrival);
    const { queuedFor } = wait;
    if (queuedFor === undefined) return;
    const group = groupLockOf(queuedFor.lock);
    listOf(this.#queues, queuedFor.lock).insert(wait);
    if (group !== undefined) listOf(this.#queuesBelow, group).insert(wait);
    if (queuedFor.mode === "exclusive") return;
    const key = entryKey(queuedFor, wait.priority);
    const entry = this.#sharedEntries.get(key);
    if (entry === undefined) this.#sharedEntries.set(key, { place: wait.place, members: 1 });
    else entry.members++;
  }

  delete(key: string): void {
    const wait = this.#byOwner.get(key);
    if (wait === undefined) return;
    this.#byOwner.delete(key);
    this.#ordered.delete(wait);
    if (this.#byOwner.size === 0) this.#lastArrival = 0;
    const { queuedFor } = wait;
    if (queuedFor === undefined) return;
    deleteFrom(this.#queues, queuedFor.lock, wait);
    const group = groupLockOf(queuedFor.lock);
    if (group !== undefined) deleteFrom(this.#queuesBelow, group, wait);
    if (queuedFor.mode === "exclusive") return;
    const entry = this.#sharedEntries.get(entryKey(queuedFor, wait.priority));
    if (entry !== undefined && --entry.members === 0)
      this.#sharedEntries.delete(entryKey(queuedFor, wait.priority));
  }

  /** Place of a new request: with those that share its wish, otherwise at the end of its priority. */
  placeFor(wish: Wish | undefined, priority: number): Place {
    const arrival = this.#lastArrival + 1;
    const entry =
      wish?.mode === "shared" ? this.#sharedEntries.get(entryKey(wish, priority)) : undefined;
    return { priority, place: entry?.place ?? arrival, arrival };
  }

  /**
   * The queued entries before `place` that conflict with any of the wishes, except those of `key` itself,
   * first to last: each as the list of its members. Cost: the examined part of the queues for these locks,
   * their group locks and their members.
   */
  *entriesBefore(key: string, wishes: readonly Wish[], place: Place): Generator<readonly Wait[]> {
    let entry: Wait[] = [];
    for (const wait of merged(this.#queuesAbout(wishes))) {
      if (comparePlaces(wait, place) >= 0 || wait.place === place.place) break;
      if (wait.key === key) continue;
      if (!wishes.some((wish) => conflict(wait.queuedFor as Wish, wish))) continue;
      if (entry[0] !== undefined && entry[0].place !== wait.place) {
        yield entry;
        entry = [];
      }
      entry.push(wait);
    }
    if (entry.length > 0) yield entry;
  }

  /** Each queue once. */
  #queuesAbout(wishes: readonly Wish[]): ReadonlySet<Iterable<Wait>> {
    const queues = new Set<Iterable<Wait>>();
    for (const { lock } of wishes) {
      const group = groupLockOf(lock);
      const found = [this.#queues.get(lock), this.#queuesBelow.get(lock)];
      for (const queue of found) if (queue !== undefined) queues.add(queue);
      const above = group === undefined ? undefined : this.#queues.get(group);
      if (above !== undefined) queues.add(above);
    }
    return queues;
  }
}

/** Negative if `a` is before `b`. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.priority - b.priority || a.place - b.place || a.arrival - b.arrival;

const entryKey = ({ lock }: Wish, priority: number) => `${priority} ${lock}`;

function listOf(lists: Map<LockName, SortedList<Wait>>, lock: LockName): SortedList<Wait> {
  const known = lists.get(lock);
  if (known !== undefined) return known;
  const made = new SortedList<Wait>(comparePlaces);
  lists.set(lock, made);
  return made;
}

function deleteFrom(lists: Map<LockName, SortedList<Wait>>, lock: LockName, wait: Wait): void {
  const list = lists.get(lock);
  list?.delete(wait);
  if (list?.size === 0) lists.delete(lock);
}

/** All lists merged in order, each wait once. */
function* merged(lists: ReadonlySet<Iterable<Wait>>): Generator<Wait> {
  const [only] = lists;
  if (only === undefined) return;
  if (lists.size === 1) {
    yield* only;
    return;
  }
  const heads = [...lists].map((list) => {
    const rest = list[Symbol.iterator]();
    return { rest, next: rest.next() };
  });
  let last: Wait | undefined;
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (first === undefined || comparePlaces(head.next.value, first.next.value) < 0) first = head;
    }
    if (first === undefined) return;
    const wait: Wait = first.next.value;
    first.next = first.rest.next();
    // A member of a group whose group lock is wanted as well occurs in two of them.
    if (wait !== last) yield wait;
    last = wait;
  }
}
