/** Persistent sorted maps, which share unchanged parts with the map they were derived from. */
import btree from "sorted-btree";
import difference from "sorted-btree/extended/diffAgainst.js";

/** Changing a `clone` leaves the original unchanged; both share all unchanged parts. */
export type SortedMap<V> = btree.default<string, V>;

// A CommonJS module: loaders differ in whether its default export is the class or contains it.
const BTree =
  (btree as Partial<typeof btree>).default ?? (btree as unknown as typeof btree.default);

const diffAgainst =
  (difference as Partial<typeof difference>).default ??
  (difference as unknown as typeof difference.default);

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

/** A key whose value differs between two maps; undefined where there is none. */
export interface Difference<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/** Differing keys, ascending. O(different * log n) if one map was derived from the other. */
export function differencesOf<V>(before: SortedMap<V>, after: SortedMap<V>): Difference<V>[] {
  const found: Difference<V>[] = [];
  diffAgainst<string, V, never>(
    before,
    after,
    (key, value) => void found.push({ key, before: value, after: undefined }),
    (key, value) => void found.push({ key, before: undefined, after: value }),
    (key, old, value) => void found.push({ key, before: old, after: value }),
  );
  return found.sort((a, b) => compare(a.key, b.key));
}
