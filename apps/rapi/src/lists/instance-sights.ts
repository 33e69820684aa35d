/** Latest sights of all instances, in the order of their list: only those that differ are made again. */
import { type LiveData, showsAlike } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { affectedInstances } from "./affected-instances.js";
import type { ItemSight } from "./list-chunks.js";

type Seen = ReturnType<LiveData["instance"]> | undefined;

/** An instance as it was listed last. */
interface Row {
  readonly sight: ItemSight;
  readonly seen: Seen;
}

export class InstanceSights {
  #now: Snapshot | undefined;
  #items: readonly InstanceObject[] = [];
  #rows: readonly Row[] = [];

  /**
   * One for each of `items`, the listed instances of `now`; the same object as before if nothing in it has
   * changed. `make` is called for the others. Cost: a look at the live data of each, and the sights of those
   * affected by changes of the configuration.
   */
  of(
    items: readonly InstanceObject[],
    now: Snapshot,
    live: LiveData | undefined,
    make: (item: InstanceObject) => ItemSight,
  ): readonly ItemSight[] {
    const affected = this.#now && affectedInstances(this.#now, now);
    const before = affected === undefined ? () => undefined : this.#rowsOf(items);
    const rows = new Array<Row>(items.length);
    const sights = new Array<ItemSight>(items.length);
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as InstanceObject;
      const seen = live?.instance(item);
      const known = before(at);
      const isSame =
        known !== undefined && sameSeen(known.seen, seen) && affected?.has(item.uuid) === false;
      const row = isSame ? known : { sight: make(item), seen };
      rows[at] = row;
      sights[at] = row.sight;
    }
    this.#now = now;
    this.#items = items;
    this.#rows = rows;
    return sights;
  }

  /** The rows by the places of their items; items come and go rarely. */
  #rowsOf(items: readonly InstanceObject[]): (at: number) => Row | undefined {
    const rows = this.#rows;
    const atSamePlaces =
      items.length === this.#items.length &&
      items.every(({ uuid }, at) => uuid === this.#items[at]?.uuid);
    if (atSamePlaces) return (at) => rows[at];
    const byUuid = new Map(this.#items.map(({ uuid }, at) => [uuid as string, rows[at]]));
    return (at) => byUuid.get((items[at] as InstanceObject).uuid);
  }
}

const sameSeen = (a: Seen, b: Seen): boolean =>
  a === b || (a !== undefined && b !== undefined && showsAlike(a, b));
