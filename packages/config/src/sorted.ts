/** Persistent sorted maps, which share unchanged parts with the map they were derived from. */
import btree from "sorted-btree";

/** Changing a `clone` leaves the original unchanged; both share all unchanged parts. */
export type SortedMap<V> = btree.default<string, V>;

// A CommonJS module: loaders differ in whether its default export is the class or contains it.
const BTree =
  (btree as Partial<typeof btree>).default ?? (btree as unknown as typeof btree.default);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorted by code units. O(n) if the entries are already sorted. */
export const sortedMap = <V>(entries: Iterable<readonly [string, V]> = []): SortedMap<V> =>
  new BTree<string, V>([...entries] as [string, V][], compare);

/** The keys that start with `prefix`, ascending, without the prefix. O(log n + found). */
export function suffixesOf<V>(map: SortedMap<V>, prefix: string, countMax = Infinity): string[] {
  const found: string[] = [];
  map.forRange(prefix, `${prefix}\uffff`, false, (key) => {
    found.push(key.slice(prefix.length));
    return found.length >= countMax ? { break: true } : undefined;
  });
  return found;
}
