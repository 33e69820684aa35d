/** Persistent sorted maps, which share unchanged parts with the map they were derived from. */
import type btree from "sorted-btree";
import { bulkLoad } from "sorted-btree/extended/bulkLoad.js";
import difference from "sorted-btree/extended/diffAgainst.js";

/** Changing a `clone` leaves the original unchanged; both share all unchanged parts. */
export type SortedMap<V> = btree.default<string, V>;

// A CommonJS module: loaders differ in whether its default export is the function or contains it.
const diffAgainst =
  (difference as Partial<typeof difference>).default ??
  (difference as unknown as typeof difference.default);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Most entries of a node of the tree. */
const nodeSizeMax = 32;

/** A map of values by keys in ascending order of code units; of equal keys the last one counts. O(n). */
export function sortedMap<V>(keys: readonly string[], values: readonly V[]): SortedMap<V> {
  const isLast = (at: number): boolean => keys[at] !== keys[at + 1];
  const isDouble = keys.some((_, at) => !isLast(at) && at < keys.length - 1);
  return bulkLoad(
    (isDouble ? keys.filter((_, at) => isLast(at)) : keys) as string[],
    (isDouble ? values.filter((_, at) => isLast(at)) : values) as V[],
    nodeSizeMax,
    compare,
  );
}

/** Texts by a key with which every text of the group begins. */
export type TextGroups = Map<string, string[]>;

/** All texts sorted by code units. Compares texts only within a group. */
export function sortedTexts(groups: TextGroups): string[] {
  const sorted: string[] = [];
  for (const [, group] of [...groups].sort(([a], [b]) => compare(a, b))) {
    for (const text of group.sort()) sorted.push(text);
  }
  return sorted;
}

/** The keys that start with `prefix`, ascending, without the prefix. O(log n + found). */
export function suffixesOf<V>(map: SortedMap<V>, prefix: string, countMax = Infinity): string[] {
  const found: string[] = [];
  map.forRange(prefix, endOf(prefix), false, (key) => {
    found.push(key.slice(prefix.length));
    return found.length >= countMax ? { break: true } : undefined;
  });
  return found;
}

/** Calls `visit` with each key that starts with `prefix`, ascending, and the length of the prefix. O(log n + found). */
export function eachSuffix<V>(
  map: SortedMap<V>,
  prefix: string,
  visit: (key: string, at: number) => void,
): void {
  map.forRange(prefix, endOf(prefix), false, (key) => visit(key, prefix.length));
}

/**
 * The first text after all that start with the prefix. It has no higher code units than they have: V8 compares texts with
 * two bytes for each character much more slowly.
 */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

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
