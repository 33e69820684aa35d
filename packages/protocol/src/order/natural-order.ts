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
