/** Objects in the natural order of their names, found again cheaply when little has changed. */
import type { Snapshot } from "@ganeti-ts/config";
import { naturalKey } from "@ganeti-ts/protocol";
import { type QueryItems, type Resource, resources } from "./resources.js";

/** Kinds of objects in the configuration that have names. */
export type NamedKind = "group" | "instance" | "network" | "node";

/** Place of an object in the order: after all with a lower name, and among equal names after those with a lower UUID. */
export interface NamePlace {
  readonly name: string;
  readonly uuid: string;
}

/** Maximum number of objects that are moved one by one; for more all are sorted. */
const movesMax = 256;

/** Order of objects of one kind; remembers that of the latest snapshot. Equal names are in the order of UUIDs. */
export class NameOrder<Kind extends NamedKind> {
  readonly #kind: Kind;
  readonly #isShown: (item: QueryItems[Kind]) => boolean;
  #now: Snapshot | undefined;
  #items: readonly QueryItems[Kind][] = [];
  /** Sort keys of the items, at the same places. */
  #keys: readonly string[] = [];

  /** @param isShown selects the objects of the order; by default all */
  constructor(kind: Kind, isShown: (item: QueryItems[Kind]) => boolean = () => true) {
    this.#kind = kind;
    this.#isShown = isShown;
  }

  /**
   * O(changed * log objects), and a copy of the list; O(objects * log objects) for the first list, and after
   * the names of many have changed.
   */
  items(now: Snapshot): readonly QueryItems[Kind][] {
    if (this.#now === now) return this.#items;
    if (this.#now === undefined || !this.#follow(this.#now, now)) this.#sort(now);
    this.#now = now;
    return this.#items;
  }

  /** The number of items of `items(now)` up to that place, with the item that is there. O(log objects) once they are in order. */
  countUpTo(now: Snapshot, { name, uuid }: NamePlace): number {
    const items = this.items(now);
    const at = placeOf(this.#keys, items, naturalKey(name), uuid);
    return items[at]?.uuid === uuid ? at + 1 : at;
  }

  #keyOf(item: QueryItems[Kind], now: Snapshot): string {
    return naturalKey((resources[this.#kind] as Resource<QueryItems[Kind]>).name(item, now));
  }

  #shown(item: QueryItems[Kind] | undefined): QueryItems[Kind] | undefined {
    return item !== undefined && this.#isShown(item) ? item : undefined;
  }

  /** Applies what has changed since. False: too much has, and nothing is applied. */
  #follow(before: Snapshot, now: Snapshot): boolean {
    const items = [...this.#items];
    let keys: string[] | undefined;
    let moves = 0;
    for (const change of now.differencesFrom(before, this.#kind)) {
      const was = this.#shown(change.before as QueryItems[Kind] | undefined);
      const is = this.#shown(change.after as QueryItems[Kind] | undefined);
      const keyBefore = was && this.#keyOf(was, before);
      const key = is && this.#keyOf(is, now);
      if (was !== undefined && is !== undefined && keyBefore === key) {
        items[placeOf(keys ?? this.#keys, items, key as string, is.uuid)] = is;
        continue;
      }
      moves++;
      if (moves > movesMax) return false;
      keys ??= [...this.#keys];
      if (was !== undefined) {
        const at = placeOf(keys, items, keyBefore as string, was.uuid);
        items.splice(at, 1);
        keys.splice(at, 1);
      }
      if (is !== undefined) {
        const at = placeOf(keys, items, key as string, is.uuid);
        items.splice(at, 0, is);
        keys.splice(at, 0, key as string);
      }
    }
    this.#items = items;
    this.#keys = keys ?? this.#keys;
    return true;
  }

  #sort(now: Snapshot): void {
    const keyed: { readonly item: QueryItems[Kind]; readonly key: string }[] = [];
    for (const item of now.all(this.#kind) as Iterable<QueryItems[Kind]>) {
      if (this.#shown(item) !== undefined) keyed.push({ item, key: this.#keyOf(item, now) });
    }
    // Stable: they come in the order of their UUIDs.
    keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
    this.#items = keyed.map(({ item }) => item);
    this.#keys = keyed.map(({ key }) => key);
  }
}

/** Place of an item with this key and UUID, or the place where it belongs. */
function placeOf(
  keys: readonly string[],
  items: readonly { readonly uuid: string }[],
  key: string,
  uuid: string,
): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = keys[middle] as string;
    const isBefore =
      at < key || (at === key && (items[middle] as { readonly uuid: string }).uuid < uuid);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The order of each kind of objects. */
export type NameOrders = { readonly [Kind in NamedKind]: NameOrder<Kind> };

/** Orders of all shown objects. */
export const nameOrders = (): NameOrders => ({
  group: new NameOrder("group"),
  instance: new NameOrder("instance"),
  network: new NameOrder("network"),
  node: new NameOrder("node"),
});
