/** Lower bounds of secondaries with any primary: B(s). */
import { setValue, value } from "./columns";
import {
  components,
  diskFree,
  diskFreePlanned,
  loadDisk,
  n1,
  reserved,
  reservedTotal,
  spindles,
  spindlesPlanned,
} from "./components";
import { number, setNumber } from "./numbers";
import {
  bounds,
  coupledBounds,
  order,
  primaryMeasures,
  reservedTerms,
  rowVariances,
  secondaryMeasures,
  secondaryNodes,
  totals,
  values,
  variances,
  weights,
} from "./pair-layout";
import { changedVariance, leastVariance, shiftOf, squaresOf } from "./pair-measures";

// Over all primaries, for each coupled component: the minimum variance, and the range of its shift.
const leasts = memory.data(8 * components, 8);
const lowests = memory.data(8 * components, 8);
const highests = memory.data(8 * components, 8);

export function resetExtremes(): void {
  for (let component = 0; component < components; component++) {
    setNumber(leasts, component, Infinity);
    setNumber(lowests, component, Infinity);
    setNumber(highests, component, -Infinity);
  }
}

/** Requires the row of this primary. */
export function noteExtremes(primary: i32): void {
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

/** Sets B(s) and its part that does not depend on the primary. Requires the extremes of all primaries. */
export function boundSecondary(secondary: i32): void {
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
  const variance = leastVariance(
    number(leasts, component),
    number(totals, component),
    shiftOf(secondaryMeasures, secondary, component),
    squaresOf(secondaryMeasures, secondary, component),
    number(lowests, component),
    number(highests, component),
  );
  return number(weights, component) * Math.sqrt(variance);
}

/** Shell sort: short, and fast enough for thousands. Equal bounds are sorted last first. */
export function sortByBound(secondaries: i32): void {
  for (let i = 0; i < secondaries; i++) setValue(order, i, i);
  let gap = 1;
  while (gap < secondaries / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = gap / 3) {
    for (let i = gap; i < secondaries; i++) {
      const one = value(order, i);
      const bound = number(bounds, one);
      let at = i;
      for (; at >= gap && isAfter(value(order, at - gap), one, bound); at -= gap) {
        setValue(order, at, value(order, at - gap));
      }
      setValue(order, at, one);
    }
  }
}

function isAfter(other: i32, one: i32, bound: f64): bool {
  const own = number(bounds, other);
  return own > bound || (own === bound && other < one);
}
