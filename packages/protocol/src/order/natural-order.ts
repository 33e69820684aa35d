/** Names in the order people expect: runs of digits count as numbers, so a2 comes before a10. */
import { compareCodePoints } from "./code-points.js";

/**
 * Negative if `a` comes before `b`. Runs of ASCII digits and other runs are compared one by one, a number
 * before a text; a name that is a prefix of another comes first. Names that differ only in leading zeros are
 * equal. Source: Ganeti, Utils.hs, `niceSort`.
 */
export function compareNaturally(a: string, b: string): number {
  const left = runsOf(a);
  const right = runsOf(b);
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const order = compareRuns(left[i] as string, right[i] as string);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/**
 * A text whose code units are in the order of `compareNaturally`, to be made once for each name where many are
 * compared. Only for names without control characters.
 */
export const naturalKey = (name: string): string =>
  (reordered.test(name) ? byCodePoints(name) : name).replace(/[0-9]+|[^0-9]+/g, (run) => {
    if (!isNumber(run)) return `\u0001${run}`;
    const digits = run.startsWith("0") ? run.replace(/^0+/, "") : run;
    return `\u0000${String.fromCharCode(digits.length)}${digits}`;
  });

/** Surrogates and the characters after them, which few names have. */
const reordered = /[\ud800-\uffff]/;

/** Moves code units so that surrogates come last, as the characters do that they stand for. */
const byCodePoints = (text: string): string =>
  text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });

/** A new list in the natural order of names; items with equal names keep their order. O(n log n) comparisons of keys. */
export function inNaturalOrder<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): Item[] {
  const named = Array.from(items, (item) => ({ item, name: nameOf(item), key: "" }));
  if (named.some(({ name }) => controls.test(name))) {
    named.sort((a, b) => compareNaturally(a.name, b.name));
  } else {
    for (const one of named) one.key = naturalKey(one.name);
    named.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  }
  return named.map(({ item }) => item);
}

const controls = /\p{Cc}/u;

function runsOf(name: string): readonly string[] {
  return name.match(/[0-9]+|[^0-9]+/g) ?? [];
}

function compareRuns(a: string, b: string): number {
  const aIsNumber = isNumber(a);
  const bIsNumber = isNumber(b);
  if (aIsNumber && bIsNumber) return compareNumbers(a, b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return compareCodePoints(a, b);
}

function isNumber(run: string): boolean {
  return run >= "0" && run < ":";
}

/** Numbers of any length: without leading zeros, the longer one is larger. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  return left.length - right.length || compareCodePoints(left, right);
}
