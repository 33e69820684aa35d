/**
 * The best of all pairs (primary, secondary) of online nodes that no location tags join: what
 * `../src/score/pair-table.ts` does, which tells why a row may end early. Scores are made by the same
 * operations in the same order; their last bits decide ties.
 */
import { setValue, value } from "./columns";
import { number, setNumber } from "./numbers";
import { boundSecondary, noteExtremes, resetExtremes, sortByBound } from "./pair-bounds";
import {
  bounds,
  chosen,
  coupledBounds,
  examinedFor,
  leftOut,
  order,
  ownTerms,
  primaryMeasures,
  primaryNodes,
  primaryTwins,
  secondaryAt,
  secondaryMeasures,
  secondaryNodes,
  secondaryTwins,
  skipped,
  skippedEnds,
} from "./pair-layout";
import { countOnline } from "./pair-measures";
import { makeRow, own, rowPromise, scoreWith } from "./pair-row";
import { findTwins } from "./pair-twins";

/** Deviation between bound and score that rounding can make; see `../src/score/pair-table.ts`. */
const roundingSlack: f64 = 1e-7;
/** Part of the score that counts for it. */
let scoreShare: f64 = 1;

let lowest: f64 = 0;
let bestPrimary: i32 = 0;
let bestSecondary: i32 = 0;

/** Looks for the pair of the lowest score. Tells whether there is one. */
export function findPair(online: f64, primaries: i32, secondaries: i32, nodes: i32): bool {
  countOnline(online);
  scoreShare = min(1, 100 / online);
  lowest = Infinity;
  bestPrimary = bestSecondary = -1;
  for (let node = 0; node < nodes; node++) {
    setValue(leftOut, node, 0);
    setValue(secondaryAt, node, 0);
    setNumber(ownTerms, node, 0);
    setNumber(coupledBounds, node, 0);
  }
  const first = mostPromising(primaries);
  for (let secondary = 0; secondary < secondaries; secondary++) {
    setValue(secondaryAt, value(secondaryNodes, secondary), secondary + 1);
    setValue(examinedFor, secondary, 0);
  }
  for (let secondary = 0; secondary < secondaries; secondary++) boundSecondary(secondary);
  if (first < 0) return false;
  sortByBound(secondaries);
  findTwins(primaryMeasures, primaries, primaryTwins, chosen, true);
  findTwins(secondaryMeasures, secondaries, secondaryTwins, 0, false);
  // The row that promises most comes first: then the others end early.
  visitRow(first, secondaries);
  for (let primary = 0; primary < primaries; primary++) {
    if (primary !== first && value(chosen, primary) !== 0) visitRow(primary, secondaries);
  }
  return bestPrimary >= 0;
}

export function lowestScore(): f64 {
  return lowest;
}

/** Nodes. */
export function bestPairPrimary(): i32 {
  return bestPrimary;
}

export function bestPairSecondary(): i32 {
  return bestSecondary;
}

/** The last of the chosen primaries whose row promises most, -1 without one. Notes what bounds need of all. */
function mostPromising(primaries: i32): i32 {
  resetExtremes();
  let first = -1;
  let promised: f64 = Infinity;
  for (let primary = 0; primary < primaries; primary++) {
    makeRow(primary);
    noteExtremes(primary);
    setNumber(ownTerms, value(primaryNodes, primary), own);
    const promise = rowPromise();
    if (value(chosen, primary) === 0 || (first >= 0 && !(promise <= promised))) continue;
    first = primary;
    promised = promise;
  }
  return first;
}

function visitRow(primary: i32, secondaries: i32): void {
  makeRow(primary);
  const mark = primary + 1;
  const primaryNode = value(primaryNodes, primary);
  setValue(leftOut, primaryNode, mark);
  const begin = primary === 0 ? 0 : value(skippedEnds, primary - 1);
  for (let i = begin; i < value(skippedEnds, primary); i++) {
    setValue(leftOut, value(skipped, i), mark);
  }
  const twin = value(primaryTwins, primary);
  if (twin !== primary) {
    visitTwin(primaryNode, twin, mark);
    return;
  }
  let highest = reach();
  for (let i = 0; i < secondaries; i++) {
    const secondary = value(order, i);
    if (number(bounds, secondary) > highest) return;
    const node = value(secondaryNodes, secondary);
    if (value(leftOut, node) === mark) continue;
    // Twins are sorted last first: the last one wins the tie.
    const twin = value(secondaryTwins, secondary);
    if (value(examinedFor, twin) === mark) continue;
    setValue(examinedFor, twin, mark);
    offer(primaryNode, node, scoreWith(secondary));
    highest = reach();
  }
}

/**
 * Visits the row of a primary with a later twin: all pairs that the twin can form as well lose the tie against it,
 * so only those with the twin itself and its excluded secondaries are left.
 */
function visitTwin(primaryNode: i32, twin: i32, mark: i32): void {
  offerIfOpen(primaryNode, value(primaryNodes, twin), mark);
  const begin = twin === 0 ? 0 : value(skippedEnds, twin - 1);
  for (let i = begin; i < value(skippedEnds, twin); i++) {
    offerIfOpen(primaryNode, value(skipped, i), mark);
  }
}

function offerIfOpen(primaryNode: i32, node: i32, mark: i32): void {
  const secondary = value(secondaryAt, node) - 1;
  if (secondary < 0 || value(leftOut, node) === mark) return;
  if (number(bounds, secondary) > reach()) return;
  offer(primaryNode, node, scoreWith(secondary));
}

/** The highest bound of a secondary that may still be as good as the best pair. */
function reach(): f64 {
  return lowest - own + roundingSlack * max(1, Math.abs(lowest) * scoreShare);
}

/** Keeps the lowest score; among equals the later primary, then the later secondary. */
function offer(primary: i32, secondary: i32, score: f64): void {
  if (lowest < score) return;
  const later =
    bestPrimary < 0 ||
    score !== lowest ||
    primary > bestPrimary ||
    (primary === bestPrimary && secondary > bestSecondary);
  if (!later) return;
  lowest = score;
  bestPrimary = primary;
  bestSecondary = secondary;
}
