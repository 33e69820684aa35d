/** Measures of a node after it takes the instance, and the resulting variance. */
import { components } from "./components";
import { number } from "./numbers";

/** Number of online nodes, over which variances are computed. */
let count: f64 = 0;

export function countOnline(online: f64): void {
  count = online;
}

/** @param measures of all options of a role: `primaryMeasures` or `secondaryMeasures` */
export function shiftOf(measures: usize, option: i32, component: i32): f64 {
  return after(measures, option, component) - before(measures, option, component);
}

export function squaresOf(measures: usize, option: i32, component: i32): f64 {
  const from = before(measures, option, component);
  const to = after(measures, option, component);
  return to * to - from * from;
}

function before(measures: usize, option: i32, component: i32): f64 {
  return number(measures, 2 * components * option + component);
}

function after(measures: usize, option: i32, component: i32): f64 {
  return number(measures, 2 * components * option + components + component);
}

/** `changedVarianceBy` of `../src/score/running-score.ts`. */
export function changedVariance(variance: f64, total: f64, shift: f64, squares: f64): f64 {
  const change = count * squares - 2 * total * shift - shift * shift;
  const changed = variance + change / (count * count);
  return changed >= 0 ? changed : 0;
}

/** Lower bound of it if earlier changes shift the total by `lowest` to `highest`. */
export function leastVariance(
  variance: f64,
  total: f64,
  shift: f64,
  squares: f64,
  lowest: f64,
  highest: f64,
): f64 {
  const change = count * squares - 2 * total * shift - shift * shift;
  const coupling = 2 * max(lowest * shift, highest * shift);
  const changed = variance + (change - coupling) / (count * count);
  return changed >= 0 ? changed : 0;
}
