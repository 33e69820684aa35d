/** Objects in the natural order of their names, found again cheaply when little has changed. */

import { type Resource, resources } from "@ganeti-ts/cluster-queries";
import { listedInstances, type Snapshot } from "@ganeti-ts/config";
import type { RapiItems, RapiKind } from "./rapi-objects.js";

/** A text whose code units are in the order of `compareNaturally`, made once for each name. */
export const naturalKey = (name: string): string =>
  name.replace(/[0-9]+|[^0-9]+/g, (run) => {
    if (run > ":" || run < "0") return `\u0001${run}`;
    const digits = run.replace(/^0+/, "");
    return `\u0000${String.fromCharCode(digits.length)}${digits}`;
  });

/** Order of objects of one kind; remembers that of the latest snapshot. */
export class NameOrder<Kind extends RapiKind> {
  readonly #kind: Kind;
  #now: Snapshot | undefined;
  #items: readonly RapiItems[Kind][] = [];
  /** By UUID, the name and its place. */
  #places: ReadonlyMap<string, readonly [name: string, at: number]> = new Map();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** O(objects); sorts only if a name came or went. */
  items(now: Snapshot): readonly RapiItems[Kind][] {
    if (this.#now === now) return this.#items;
    const all = Array.from(
      (this.#kind === "instance" ? listedInstances(now) : now.all(this.#kind)) as Iterable<
        RapiItems[Kind]
      >,
    );
    this.#items = this.#inKnownOrder(all, now) ?? this.#sorted(all, now);
    this.#now = now;
    return this.#items;
  }

  #nameOf(item: RapiItems[Kind], now: Snapshot): string {
    return (resources[this.#kind] as Resource<RapiItems[Kind]>).name(item, now);
  }

  #inKnownOrder(all: readonly RapiItems[Kind][], now: Snapshot): RapiItems[Kind][] | undefined {
    if (all.length !== this.#places.size) return undefined;
    const items = new Array<RapiItems[Kind]>(all.length);
    for (const item of all) {
      const place = this.#places.get(item.uuid);
      if (place === undefined || place[0] !== this.#nameOf(item, now)) return undefined;
      items[place[1]] = item;
    }
    return items;
  }

  #sorted(all: readonly RapiItems[Kind][], now: Snapshot): RapiItems[Kind][] {
    const keyed = all.map((item) => {
      const name = this.#nameOf(item, now);
      return { item, name, key: naturalKey(name) };
    });
    keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
    this.#places = new Map(keyed.map(({ item, name }, at) => [item.uuid as string, [name, at]]));
    return keyed.map(({ item }) => item);
  }
}
