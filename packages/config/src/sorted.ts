/** Sorted maps that share what they have in common with the map that they came from. */
import btree from "sorted-btree";

/** Changing a `clone` leaves the original as it is; both share all that did not change. */
export type SortedMap<V> = btree.default<string, V>;

// A CommonJS module: loaders differ in whether its default export is the class or holds it.
const BTree =
  (btree as Partial<typeof btree>).default ?? (btree as unknown as typeof btree.default);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By code units. O(n) where the entries are sorted already. */
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
