/** Scratch columns for searches by score, shared by all searches with the same score columns. */
import type { ScoreColumns } from "./score-columns.js";

/** By place; `changes` are those of the variance of one component. */
interface Scratch {
  readonly primaries: Float64Array;
  readonly secondaries: Float64Array;
  readonly changesOfPrimary: Float64Array;
  readonly changesOfSecondary: Float64Array;
}

/**
 * Every group of a cluster is searched for each new instance, with the columns of all nodes: arrays of their own would
 * cost O(groups x nodes). `renew` fills the places of a search, which ends before the next one begins.
 */
const scratches = new WeakMap<ScoreColumns, Scratch>();

export function scratchOf(columns: ScoreColumns): Scratch {
  const known = scratches.get(columns);
  if (known !== undefined) return known;
  const column = () => new Float64Array(columns.count);
  const made = {
    primaries: column(),
    secondaries: column(),
    changesOfPrimary: column(),
    changesOfSecondary: column(),
  };
  scratches.set(columns, made);
  return made;
}
