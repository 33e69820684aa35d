/** ListSights: latest sights of all items of a list; only those that differ are made again. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ItemSight } from "./list-chunks.js";

interface Keyed {
  readonly uuid: string;
}

/** An item as it was listed last. */
interface Row<Seen> {
  readonly sight: ItemSight;
  readonly seen: Seen;
}

/** All items as they were listed last. */
interface Listed<Item, Seen> {
  readonly now: Snapshot;
  readonly items: readonly Item[];
  /** Undefined for items that were never rendered. */
  readonly rows: readonly (Row<Seen> | undefined)[];
}

/** Comparison of two lists of the same kind. */
export interface SightRules<Seen> {
  /** UUIDs of the items whose configuration data may differ; undefined: any may. */
  readonly affected: (before: Snapshot, now: Snapshot) => ReadonlySet<string> | undefined;
  /** Whether two values of live data are shown alike. */
  readonly alike: (before: Seen, now: Seen) => boolean;
}

/** One rendering of the list. */
export interface SightsPass<Item, Seen> {
  /**
   * The sight of the item at a place of the list, with its live data; the same object as before if nothing in it has
   * changed. `make` is called for the others, with the fixed part of the sight before if nothing but live data may
   * have changed.
   */
  sight(
    at: number,
    seen: Seen,
    make: (item: Item, fixed: object | undefined) => ItemSight,
  ): ItemSight;
  /** Keeps the sights for the next list; for items that were not rendered, the earlier ones that are still valid. */
  end(isWhole: boolean): void;
}

/** Sights of one list. */
export class ListSights<Item extends Keyed, Seen> {
  readonly #rules: SightRules<Seen>;
  #listed: Listed<Item, Seen> | undefined;

  constructor(rules: SightRules<Seen>) {
    this.#rules = rules;
  }

  /**
   * @param items the listed items of `now`
   *
   * Cost: a comparison of the live data of each item, and new sights of those affected by changes of the configuration.
   * Passes may overlap: each compares with the last ended one.
   */
  pass(items: readonly Item[], now: Snapshot): SightsPass<Item, Seen> {
    const listed = this.#listed;
    const affected = listed && this.#rules.affected(listed.now, now);
    const before =
      listed === undefined || affected === undefined ? () => undefined : rowsOf(listed, items);
    const rows = new Array<Row<Seen> | undefined>(items.length);
    const isUnaffected = (at: number) => affected?.has((items[at] as Item).uuid) === false;
    const { alike } = this.#rules;
    return {
      sight(at, seen, make) {
        const known = isUnaffected(at) ? before(at) : undefined;
        const row =
          known !== undefined && alike(known.seen, seen)
            ? known
            : { sight: make(items[at] as Item, known?.sight.fixed), seen };
        rows[at] = row;
        return row.sight;
      },
      end: (isWhole) => {
        if (!isWhole) {
          if (this.#listed !== listed) return;
          for (let at = 0; at < rows.length; at++) {
            if (rows[at] === undefined && isUnaffected(at)) rows[at] = before(at);
          }
        }
        this.#listed = { now, items, rows };
      },
    };
  }
}

/**
 * The rows by the places of their items in another list. Most are at the same places, because items are rarely added or
 * removed; the others are found by a map that is made on first use.
 */
function rowsOf<Item extends Keyed, Seen>(
  listed: Listed<Item, Seen>,
  items: readonly Item[],
): (at: number) => Row<Seen> | undefined {
  let byUuid: Map<string, Row<Seen> | undefined> | undefined;
  return (at) => {
    const { uuid } = items[at] as Item;
    if (listed.items[at]?.uuid === uuid) return listed.rows[at];
    byUuid ??= new Map(listed.items.map((item, place) => [item.uuid, listed.rows[place]]));
    return byUuid.get(uuid);
  };
}
