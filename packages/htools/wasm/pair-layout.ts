/** Layout of the columns of a search for pairs in memory: options, nodes and components. */
import { column, columnsFrom } from "./columns";
import { components } from "./components";

// Numbers, input: of the whole list, by component …
export let weights: usize = 0;
export let values: usize = 0;
export let totals: usize = 0;
export let variances: usize = 0;
// … and of each option: its measures before and after, by component.
export let primaryMeasures: usize = 0;
export let secondaryMeasures: usize = 0;
/** Location and exclusion pairs of the whole list with the instance on the primary. */
export let pairsWith: usize = 0;
// By node, kept for `leastScore`: A(p), and the minimum of the coupled components.
export let ownTerms: usize = 0;
export let coupledBounds: usize = 0;
// For the current row, by component: values with its primary alone. `terms` are weighted.
export let terms: usize = 0;
export let rowTotals: usize = 0;
export let rowVariances: usize = 0;
/** B(s). */
export let bounds: usize = 0;
export let reservedTerms: usize = 0;

// Integers, input: the node of each option.
export let primaryNodes: usize = 0;
export let secondaryNodes: usize = 0;
/** 1 for primaries whose pairs are examined. */
export let chosen: usize = 0;
/** Excluded secondaries (nodes) by primary, and the end of each primary's list. */
export let skippedEnds: usize = 0;
export let skipped: usize = 0;
/** Secondaries, by rising bound. */
export let order: usize = 0;
/** By node: 1 + the primary (position) in whose row it was last excluded. */
export let leftOut: usize = 0;
/** By option: the last one of equal measures. */
export let primaryTwins: usize = 0;
export let secondaryTwins: usize = 0;
/** By secondary: 1 + the primary in whose row it, or a twin, was last examined. */
export let examinedFor: usize = 0;
/** By node: 1 + its position among the secondaries; 0 if it is not one. */
export let secondaryAt: usize = 0;
/** Scratch: a hash table. */
export let twinTable: usize = 0;
/** A power of two, at least twice the number of options in a role. */
export let twinTableSize: i32 = 0;

/**
 * Lays out the columns in this order.
 * @param at their start, divisible by 8
 */
export function layOutPairs(
  at: usize,
  primaries: i32,
  secondaries: i32,
  nodes: i32,
  skips: i32,
): void {
  columnsFrom(at);
  weights = numbers(components);
  values = numbers(components);
  totals = numbers(components);
  variances = numbers(components);
  primaryMeasures = numbers(2 * components * primaries);
  secondaryMeasures = numbers(2 * components * secondaries);
  pairsWith = numbers(primaries);
  ownTerms = numbers(nodes);
  coupledBounds = numbers(nodes);
  terms = numbers(components);
  rowTotals = numbers(components);
  rowVariances = numbers(components);
  bounds = numbers(secondaries);
  reservedTerms = numbers(secondaries);
  primaryNodes = column(primaries);
  secondaryNodes = column(secondaries);
  chosen = column(primaries);
  skippedEnds = column(primaries);
  skipped = column(skips);
  order = column(secondaries);
  leftOut = column(nodes);
  primaryTwins = column(primaries);
  secondaryTwins = column(secondaries);
  examinedFor = column(secondaries);
  secondaryAt = column(nodes);
  twinTableSize = 4;
  while (twinTableSize < 2 * max(primaries, secondaries)) twinTableSize *= 2;
  twinTable = column(twinTableSize);
}

/** A number takes the space of two integers. */
function numbers(rows: i32): usize {
  return column(2 * rows);
}
