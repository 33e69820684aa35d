/** Row of one primary: its own terms, and the scores with each secondary. */
import {
  diskFree,
  diskFreePlanned,
  loadCpu,
  loadDisk,
  loadMemory,
  loadNetwork,
  location,
  locationPairs,
  memoryFree,
  memoryFreePlanned,
  n1,
  offlineAll,
  offlinePrimary,
  reservedTotal,
  spindles,
  spindlesPlanned,
  tags,
  vcpus,
  vcpusPlanned,
} from "./components";
import { number, setNumber } from "./numbers";
import {
  pairsWith,
  primaryMeasures,
  reservedTerms,
  rowTotals,
  rowVariances,
  secondaryMeasures,
  terms,
  totals,
  values,
  variances,
  weights,
} from "./pair-layout";
import { changedVariance, shiftOf, squaresOf } from "./pair-measures";

/** A(p). */
export let own: f64 = 0;

/** Selects the primary for all functions below. */
export function makeRow(primary: i32): void {
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

function setTerm(component: i32, statistic: f64): void {
  setNumber(terms, component, number(weights, component) * statistic);
}

/** A(p) plus the coupled components without a secondary. */
export function rowPromise(): f64 {
  return (
    own +
    number(terms, diskFree) +
    number(terms, loadDisk) +
    number(terms, spindles) +
    number(terms, diskFreePlanned) +
    number(terms, spindlesPlanned)
  );
}

/** The score of the pair: adds the components up in their order. */
export function scoreWith(secondary: i32): f64 {
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
