/** Objects in the natural order of their names, found again cheaply when little has changed. */

import { type Resource, resources } from "@ganeti-ts/cluster-queries";
import { isHeld, type Snapshot } from "@ganeti-ts/config";
import { type InstanceObject, naturalKey } from "@ganeti-ts/protocol";
import type { RapiItems, RapiKind } from "./rapi-objects.js";

/** Maximum number of objects that are moved one by one; for more all are sorted. */
const movesMax = 256;

/** Order of objects of one kind; remembers that of the latest snapshot. Equal names are in the order of UUIDs. */
export class NameOrder<Kind extends RapiKind> {
  readonly #kind: Kind;
  readonly #isShown: (item: RapiItems[Kind]) => boolean;
  #now: Snapshot | undefined;
  #items: readonly RapiItems[Kind][] = [];
  /** Sort keys of the items, at the same places. */
  #keys: readonly string[] = [];

  /** @param isShown selects the objects of the order; by default all but held entries */
  constructor(kind: Kind, isShown: (item: RapiItems[Kind]) => boolean = () => true) {
    this.#kind = kind;
    this.#isShown = isShown;
  }

  /**
   * O(changed * log objects), and a copy of the list; O(objects * log objects) for the first list, and after
   * the names of many have changed.
   */
  items(now: Snapshot): readonly RapiItems[Kind][] {
    if (this.#now === now) return this.#items;
    if (this.#now === undefined || !this.#follow(this.#now, now)) this.#sort(now);
    this.#now = now;
    return this.#items;
  }

  #keyOf(item: RapiItems[Kind], now: Snapshot): string {
    return naturalKey((resources[this.#kind] as Resource<RapiItems[Kind]>).name(item, now));
  }

  #shown(item: RapiItems[Kind] | undefined): RapiItems[Kind] | undefined {
    const isShown = item !== undefined && !isHeld(item as InstanceObject) && this.#isShown(item);
    return isShown ? item : undefined;
  }

  /** Applies what has changed since. False: too much has, and nothing is applied. */
  #follow(before: Snapshot, now: Snapshot): boolean {
    const items = [...this.#items];
    let keys: string[] | undefined;
    let moves = 0;
    for (const change of now.differencesFrom(before, this.#kind)) {
      const was = this.#shown(change.before as RapiItems[Kind] | undefined);
      const is = this.#shown(change.after as RapiItems[Kind] | undefined);
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
    const keyed: { readonly item: RapiItems[Kind]; readonly key: string }[] = [];
    for (const item of now.all(this.#kind) as Iterable<RapiItems[Kind]>) {
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
