/**
 * The best of all pairs (primary, secondary) of online nodes that no location tags join: what
 * `../src/pair-table.ts` does, which tells why a row may end early. Scores are made by the same
 * operations in the same order; their last bits decide ties.
 */
import { column, columnsFrom, setValue, value } from "./columns";
import { number, setNumber } from "./numbers";

// Positions in `components` of `../src/metrics.ts`.
const components: i32 = 20;
const memoryFree: i32 = 0;
const diskFree: i32 = 1;
const n1: i32 = 2;
const reserved: i32 = 3;
const offlineAll: i32 = 4;
const offlinePrimary: i32 = 5;
const vcpus: i32 = 6;
const loadCpu: i32 = 7;
const loadMemory: i32 = 8;
const loadDisk: i32 = 9;
const loadNetwork: i32 = 10;
const tags: i32 = 11;
const spindles: i32 = 12;
const memoryFreePlanned: i32 = 13;
const diskFreePlanned: i32 = 14;
const vcpusPlanned: i32 = 15;
const spindlesPlanned: i32 = 16;
const location: i32 = 17;
const locationPairs: i32 = 18;
const reservedTotal: i32 = 19;

/** Deviation between bound and score that rounding can make. */
const roundingSlack: f64 = 1e-7;

// Given: of the whole list, by component …
let count: f64 = 0;
let weights: usize = 0;
let values: usize = 0;
let totals: usize = 0;
let variances: usize = 0;
// … and of each option: its measures before and after, by component, and its node.
let primaryMeasures: usize = 0;
let secondaryMeasures: usize = 0;
/** Location and exclusion pairs of the whole list with the primary there. */
let pairsWith: usize = 0;
let primaryNodes: usize = 0;
let secondaryNodes: usize = 0;
/** 1 for primaries whose pairs are looked at. */
let chosen: usize = 0;
/** Secondaries (nodes) that are left out, by primary, and where those of each end. */
let skipped: usize = 0;
let skippedEnds: usize = 0;

// By node, for later: A(p), and what the coupled components come to at least.
let ownTerms: usize = 0;
let coupledBounds: usize = 0;

// Of one primary, by component: what holds with it alone. `terms` are weighted.
let terms: usize = 0;
let rowTotals: usize = 0;
let rowVariances: usize = 0;
/** A(p). */
let own: f64 = 0;

// Of secondaries: B(s), and those in the order of it.
let bounds: usize = 0;
let order: usize = 0;
let reservedTerms: usize = 0;
/** By node: 1 + the primary (position) in whose row it was left out last. */
let leftOut: usize = 0;

let lowest: f64 = 0;
let bestPrimary: i32 = 0;
let bestSecondary: i32 = 0;

/**
 * The columns in this order, numbers first.
 * @param at where they begin, divisible by 8
 */
export function layOutPairs(
  at: usize,
  primaries: i32,
  secondaries: i32,
  nodes: i32,
  skips: i32,
): void {
  // A column of numbers takes two of integers.
  columnsFrom(at);
  weights = column(2 * components);
  values = column(2 * components);
  totals = column(2 * components);
  variances = column(2 * components);
  primaryMeasures = column(4 * components * primaries);
  secondaryMeasures = column(4 * components * secondaries);
  pairsWith = column(2 * primaries);
  ownTerms = column(2 * nodes);
  coupledBounds = column(2 * nodes);
  terms = column(2 * components);
  rowTotals = column(2 * components);
  rowVariances = column(2 * components);
  bounds = column(2 * secondaries);
  reservedTerms = column(2 * secondaries);
  primaryNodes = column(primaries);
  secondaryNodes = column(secondaries);
  chosen = column(primaries);
  skippedEnds = column(primaries);
  skipped = column(skips);
  order = column(secondaries);
  leftOut = column(nodes);
}

/** Looks for the pair of the lowest score. Tells whether there is one. */
export function findPair(online: f64, primaries: i32, secondaries: i32, nodes: i32): bool {
  count = online;
  lowest = Infinity;
  bestPrimary = bestSecondary = -1;
  for (let node = 0; node < nodes; node++) {
    setValue(leftOut, node, 0);
    setNumber(ownTerms, node, 0);
    setNumber(coupledBounds, node, 0);
  }
  resetExtremes();
  let first = -1;
  let promised: f64 = Infinity;
  for (let primary = 0; primary < primaries; primary++) {
    makeRow(primary);
    noteExtremes(primary);
    setNumber(ownTerms, value(primaryNodes, primary), own);
    const promise = rowPromise();
    if (value(chosen, primary) === 0 || (first >= 0 && !(promise < promised))) continue;
    first = primary;
    promised = promise;
  }
  for (let secondary = 0; secondary < secondaries; secondary++) boundSecondary(secondary);
  if (first < 0) return false;
  sortByBound(secondaries);
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

function before(measures: usize, option: i32, component: i32): f64 {
  return number(measures, 2 * components * option + component);
}

function after(measures: usize, option: i32, component: i32): f64 {
  return number(measures, 2 * components * option + components + component);
}

function shiftOf(measures: usize, option: i32, component: i32): f64 {
  return after(measures, option, component) - before(measures, option, component);
}

function squaresOf(measures: usize, option: i32, component: i32): f64 {
  const from = before(measures, option, component);
  const to = after(measures, option, component);
  return to * to - from * from;
}

/** `changedVarianceBy` of `../src/running-score.ts`. */
function changedVariance(variance: f64, total: f64, shift: f64, squares: f64): f64 {
  const change = count * squares - 2 * total * shift - shift * shift;
  const changed = variance + change / (count * count);
  return changed >= 0 ? changed : 0;
}

function makeRow(primary: i32): void {
  deviate(primary, memoryFree);
  deviate(primary, diskFree);
  deviate(primary, vcpus);
  deviate(primary, loadCpu);
  deviate(primary, loadMemory);
  deviate(primary, loadDisk);
  deviate(primary, loadNetwork);
  deviate(primary, spindles);
  deviate(primary, memoryFreePlanned);
  deviate(primary, diskFreePlanned);
  deviate(primary, vcpusPlanned);
  deviate(primary, spindlesPlanned);
  addShift(primary, n1);
  addShift(primary, tags);
  addShift(primary, location);
  addShift(primary, reservedTotal);
  setTerm(offlineAll, number(values, offlineAll));
  setTerm(offlinePrimary, number(values, offlinePrimary));
  setTerm(locationPairs, number(pairsWith, primary));
  own =
    number(terms, memoryFree) +
    number(terms, vcpus) +
    number(terms, loadCpu) +
    number(terms, loadMemory) +
    number(terms, loadNetwork) +
    number(terms, memoryFreePlanned) +
    number(terms, vcpusPlanned) +
    number(terms, n1) +
    number(terms, offlineAll) +
    number(terms, offlinePrimary) +
    number(terms, tags) +
    number(terms, location) +
    number(terms, locationPairs);
}

function deviate(primary: i32, component: i32): void {
  const total = number(totals, component);
  const shift = shiftOf(primaryMeasures, primary, component);
  const squares = squaresOf(primaryMeasures, primary, component);
  const variance = changedVariance(number(variances, component), total, shift, squares);
  setNumber(rowVariances, component, variance);
  setNumber(rowTotals, component, total + shift);
  setTerm(component, Math.sqrt(variance));
}

function addShift(primary: i32, component: i32): void {
  const total = number(values, component) + shiftOf(primaryMeasures, primary, component);
  setNumber(rowTotals, component, total);
  setTerm(component, total);
}

function setTerm(component: i32, value: f64): void {
  setNumber(terms, component, number(weights, component) * value);
}

/** A(p) plus the coupled components without a secondary. */
function rowPromise(): f64 {
  return (
    own +
    number(terms, diskFree) +
    number(terms, loadDisk) +
    number(terms, spindles) +
    number(terms, diskFreePlanned) +
    number(terms, spindlesPlanned)
  );
}

// Over all primaries, of each coupled component: the least variance, and the range of its shift.
const leasts = memory.data(8 * 20, 8);
const lowests = memory.data(8 * 20, 8);
const highests = memory.data(8 * 20, 8);

function resetExtremes(): void {
  for (let component = 0; component < components; component++) {
    setNumber(leasts, component, Infinity);
    setNumber(lowests, component, Infinity);
    setNumber(highests, component, -Infinity);
  }
}

function noteExtremes(primary: i32): void {
  noteExtreme(primary, diskFree);
  noteExtreme(primary, loadDisk);
  noteExtreme(primary, spindles);
  noteExtreme(primary, diskFreePlanned);
  noteExtreme(primary, spindlesPlanned);
}

function noteExtreme(primary: i32, component: i32): void {
  const shift = shiftOf(primaryMeasures, primary, component);
  const least = min(number(leasts, component), number(rowVariances, component));
  setNumber(leasts, component, least);
  setNumber(lowests, component, min(number(lowests, component), shift));
  setNumber(highests, component, max(number(highests, component), shift));
}

/** B(s), and what of it does not depend on the primary. */
function boundSecondary(secondary: i32): void {
  const variance = changedVariance(
    number(variances, reserved),
    number(totals, reserved),
    shiftOf(secondaryMeasures, secondary, reserved),
    squaresOf(secondaryMeasures, secondary, reserved),
  );
  const reservedTerm = number(weights, reserved) * Math.sqrt(variance);
  setNumber(reservedTerms, secondary, reservedTerm);
  const coupled =
    coupledBound(secondary, diskFree) +
    coupledBound(secondary, loadDisk) +
    coupledBound(secondary, spindles) +
    coupledBound(secondary, diskFreePlanned) +
    coupledBound(secondary, spindlesPlanned);
  setNumber(coupledBounds, value(secondaryNodes, secondary), coupled);
  const alone =
    reservedTerm +
    shiftOf(secondaryMeasures, secondary, n1) +
    number(weights, reservedTotal) *
      (number(values, reservedTotal) + shiftOf(secondaryMeasures, secondary, reservedTotal));
  setNumber(bounds, secondary, alone + coupled);
}

function coupledBound(secondary: i32, component: i32): f64 {
  const shift = shiftOf(secondaryMeasures, secondary, component);
  const squares = squaresOf(secondaryMeasures, secondary, component);
  const change = count * squares - 2 * number(totals, component) * shift - shift * shift;
  const coupling = 2 * max(number(lowests, component) * shift, number(highests, component) * shift);
  const variance = number(leasts, component) + (change - coupling) / (count * count);
  return number(weights, component) * Math.sqrt(variance >= 0 ? variance : 0);
}

/** Shell sort: few lines, and quick enough for thousands. */
function sortByBound(secondaries: i32): void {
  for (let i = 0; i < secondaries; i++) setValue(order, i, i);
  let gap = 1;
  while (gap < secondaries / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = gap / 3) {
    for (let i = gap; i < secondaries; i++) {
      const one = value(order, i);
      const bound = number(bounds, one);
      let at = i;
      for (; at >= gap && number(bounds, value(order, at - gap)) > bound; at -= gap) {
        setValue(order, at, value(order, at - gap));
      }
      setValue(order, at, one);
    }
  }
}

function visitRow(primary: i32, secondaries: i32): void {
  makeRow(primary);
  const mark = primary + 1;
  const primaryNode = value(primaryNodes, primary);
  setValue(leftOut, primaryNode, mark);
  const begin = primary === 0 ? 0 : value(skippedEnds, primary - 1);
  for (let i = begin; i < value(skippedEnds, primary); i++)
    setValue(leftOut, value(skipped, i), mark);
  let highest = reach();
  for (let i = 0; i < secondaries; i++) {
    const secondary = value(order, i);
    if (number(bounds, secondary) > highest) return;
    const node = value(secondaryNodes, secondary);
    if (value(leftOut, node) === mark) continue;
    offer(primaryNode, node, score(secondary));
    highest = reach();
  }
}

/** The highest bound of a secondary that may still be as good as the best pair. */
function reach(): f64 {
  return lowest - own + roundingSlack * max(1, Math.abs(lowest));
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

/** Adds the components up in their order. */
function score(secondary: i32): f64 {
  let score = number(terms, memoryFree);
  score += coupledTerm(secondary, diskFree);
  score += number(terms, n1) + shiftOf(secondaryMeasures, secondary, n1);
  score += number(reservedTerms, secondary);
  score += number(terms, offlineAll);
  score += number(terms, offlinePrimary);
  score += number(terms, vcpus);
  score += number(terms, loadCpu);
  score += number(terms, loadMemory);
  score += coupledTerm(secondary, loadDisk);
  score += number(terms, loadNetwork);
  score += number(terms, tags);
  score += coupledTerm(secondary, spindles);
  score += number(terms, memoryFreePlanned);
  score += coupledTerm(secondary, diskFreePlanned);
  score += number(terms, vcpusPlanned);
  score += coupledTerm(secondary, spindlesPlanned);
  score += number(terms, location);
  score += number(terms, locationPairs);
  const total =
    number(rowTotals, reservedTotal) + shiftOf(secondaryMeasures, secondary, reservedTotal);
  return score + number(weights, reservedTotal) * total;
}

function coupledTerm(secondary: i32, component: i32): f64 {
  const shift = shiftOf(secondaryMeasures, secondary, component);
  const squares = squaresOf(secondaryMeasures, secondary, component);
  const total = number(rowTotals, component);
  const variance = changedVariance(number(rowVariances, component), total, shift, squares);
  return number(weights, component) * Math.sqrt(variance);
}
