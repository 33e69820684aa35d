/** Pool of user ids for guests: ranges, both ends included. */
import type { UidPool } from "@ganeti-ts/protocol";
import { wrongInput } from "./config-error.js";

const uidMin = 0;
const uidMax = 4_294_967_295;

/**
 * Parses `10-20, 30`: ranges and single ids, separated by commas or newlines; empty parts are skipped. The
 * result is sorted, its ranges are not checked. @throws ConfigError `wrong_input`
 */
export function parseUidPool(text: string): UidPool {
  const parts = text.split(/[,\n]/).map((part) => part.trim());
  return sorted(parts.filter((part) => part !== "").map(rangeOf));
}

function rangeOf(part: string): readonly [number, number] {
  const ends = part.split("-").map((end) => end.trim());
  if (ends.length > 2) {
    const shown = ends.map((end) => `'${end}'`).join(", ");
    wrongInput(`Invalid user-id range definition. Only one hyphen allowed: [${shown}]`);
  }
  const [low = "", high = low] = ends;
  return [uidOf(low, "lower"), uidOf(high, "higher")];
}

function uidOf(text: string, which: "lower" | "higher"): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  wrongInput(
    `Invalid user-id value for ${which} boundary of user-id range: invalid literal for int() with base 10: '${text}'`,
  );
}

/** `separator` is `, ` for users and a newline for the files on nodes. */
export const formatUidPool = (pool: UidPool, separator = ", "): string =>
  pool.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(separator);

/** @throws ConfigError `wrong_input` for the first invalid range */
export function checkUidPool(pool: UidPool): void {
  for (const [low, high] of pool) {
    const fault = rangeFault(low, high);
    if (fault !== undefined) wrongInput(fault);
  }
}

function rangeFault(low: number, high: number): string | undefined {
  if (low > high) {
    return `Lower user-id range boundary value (${low}) is larger than higher boundary value (${high})`;
  }
  if (low < uidMin) {
    return `Lower user-id range boundary value (${low}) is smaller than UIDPOOL_UID_MIN (${uidMin}).`;
  }
  if (high > uidMax) {
    return `Higher user-id boundary value (${high}) is larger than UIDPOOL_UID_MAX (${uidMax}).`;
  }
  return undefined;
}

/** Every id of the pool, once. O(ids). */
export function expandUidPool(pool: UidPool): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const [low, high] of pool) for (let id = low; id <= high; id++) ids.add(id);
  return ids;
}

/** With the added ranges; those that overlap become one. The result is sorted. */
export function withUids(pool: UidPool, added: UidPool): UidPool {
  const merged: Range[] = [];
  for (const [low, high] of sorted([...pool, ...added])) {
    const last = merged.at(-1);
    if (last === undefined || low > last[1]) merged.push([low, high]);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], high)];
  }
  return merged;
}

/**
 * Without the removed ranges; one from the middle of another splits it.
 * @throws ConfigError `wrong_input` if the pool does not have all of a range
 */
export function withoutUids(pool: UidPool, removed: UidPool): UidPool {
  let rest = withUids(pool, []);
  for (const [low, high] of removed) {
    const at = rest.findIndex((one) => one[0] <= low && high <= one[1]);
    const [first = 0, last = 0] = rest[at] ?? [];
    if (at < 0) {
      wrongInput(
        `User-id range to be removed is not found in the current user-id pool: (${low}, ${high})`,
      );
    }
    const left: Range[] = [
      [first, low - 1],
      [high + 1, last],
    ];
    rest = rest.toSpliced(at, 1, ...left.filter(([from, to]) => from <= to));
  }
  return rest;
}

type Range = readonly [number, number];

const sorted = (pool: readonly Range[]): readonly Range[] =>
  pool.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
