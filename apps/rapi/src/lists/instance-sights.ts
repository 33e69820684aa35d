/** Latest sights of all instances, in the order of their list: only those that differ are made again. */
import { affectedInstances, type LiveData, showsAlike } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import type { ItemSight } from "./list-chunks.js";

type Seen = ReturnType<LiveData["instance"]> | undefined;

/** An instance as it was listed last. */
interface Row {
  readonly sight: ItemSight;
  readonly seen: Seen;
}

/** All instances as they were listed last. */
interface Listed {
  readonly now: Snapshot;
  readonly items: readonly InstanceObject[];
  /** Undefined for those that were never rendered. */
  readonly rows: readonly (Row | undefined)[];
}

/** One rendering of the list. */
export interface SightsPass {
  /**
   * The sight of the instance at a place of the list; the same object as before if nothing in it has changed. `make`
   * is called for the others.
   */
  sight(
    at: number,
    live: LiveData | undefined,
    make: (item: InstanceObject) => ItemSight,
  ): ItemSight;
  /** Keeps the sights for the next list, with those before that are still valid for what has not been rendered. */
  end(isWhole: boolean): void;
}

export class InstanceSights {
  #listed: Listed | undefined;

  /**
   * @param items the listed instances of `now`
   *
   * Cost: a look at the live data of each, and the sights of those affected by changes of the configuration. Passes
   * may overlap: each compares with the last one that has ended.
   */
  pass(items: readonly InstanceObject[], now: Snapshot): SightsPass {
    const listed = this.#listed;
    const affected = listed && affectedInstances(listed.now, now);
    const before =
      listed === undefined || affected === undefined ? () => undefined : rowsOf(listed, items);
    const rows = new Array<Row | undefined>(items.length);
    const isUnaffected = (at: number) =>
      affected?.has((items[at] as InstanceObject).uuid) === false;
    return {
      sight(at, live, make) {
        const item = items[at] as InstanceObject;
        const seen = live?.instance(item);
        const known = before(at);
        const isSame = known !== undefined && sameSeen(known.seen, seen) && isUnaffected(at);
        const row = isSame ? known : { sight: make(item), seen };
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
 * The rows by the places of their items in another list. Most are at the same places, as items come and go rarely; the
 * others are looked up by a map that is made for the first of them.
 */
function rowsOf(listed: Listed, items: readonly InstanceObject[]): (at: number) => Row | undefined {
  let byUuid: Map<string, Row | undefined> | undefined;
  return (at) => {
    const { uuid } = items[at] as InstanceObject;
    if (listed.items[at]?.uuid === uuid) return listed.rows[at];
    byUuid ??= new Map(listed.items.map((item, place) => [item.uuid, listed.rows[place]]));
    return byUuid.get(uuid);
  };
}

const sameSeen = (a: Seen, b: Seen): boolean =>
  a === b || (a !== undefined && b !== undefined && showsAlike(a, b));
