/**
 * Search for a size that fits after shrinking by the most frequent reason has failed: the size shrinks by one
 * reason only, as long as instances fail for it.
 *
 * Source: Ganeti, HTools/Cluster.hs (`sufficesShrinking`), which tries every step. A node's free resources
 * decide the same way on each side of one turning point, so the smallest size that the policy accepts shows
 * whether there is one, and bisection finds it.
 */
import type { InstancePolicy, InstanceSpec } from "@ganeti-ts/protocol";
import { failSpindles, type Misfit, type MisfitCounts } from "../fit/misfit.js";
import { byCount } from "./reasons.js";
import type { LineEnd, Session } from "./session.js";
import {
  type Shrinking,
  shrinkCount,
  shrinkingBy,
  shrunk,
  type TrialSpec,
  trialSpec,
} from "./trial.js";

/** Tries the most frequent reason first. */
export function otherSize(
  session: Session,
  spec: TrialSpec,
  failures: MisfitCounts,
): TrialSpec | undefined {
  if (session.staysHopeless) return undefined;
  for (const reason of byCount(failures)) {
    const found = sizeShrunkBy(session, spec, reason);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As in the original, a size that cannot shrink further is not tried. */
function sizeShrunkBy(session: Session, spec: TrialSpec, reason: Misfit): TrialSpec | undefined {
  const count = shrinkCount(spec, reason);
  if (count === 0) return undefined;
  const lasts = smallestAccepted(session, spec, reason, count - 1);
  const last = lasts.find((times) => session.mayFit(shrunk(spec, reason, times)));
  if (last === undefined) return undefined;
  const visited: TrialSpec[] = [];
  let found: LineEnd | undefined;
  for (let times = firstToTry(session, spec, reason, last); ; times++) {
    const size = shrunk(spec, reason, times);
    const known = times < count ? session.lineEnd(size, reason) : { size: undefined };
    found = known ?? endsAt(session, size, reason);
    if (found !== undefined) break;
    visited.push(size);
  }
  for (const size of visited) session.noteLineEnd(size, reason, found);
  return found.size;
}

/** Undefined if smaller sizes must be tried. */
function endsAt(session: Session, size: TrialSpec, reason: Misfit): LineEnd | undefined {
  const tried = session.tryOut(size);
  if (tried.fits) return { size };
  return tried.failures.of(reason) === 0 ? { size: undefined } : undefined;
}

/**
 * Numbers of shrinking steps, at most `most`, that reach the smallest size accepted by each bound of a
 * policy; ascending.
 */
function smallestAccepted(
  { cluster, scope }: Session,
  spec: TrialSpec,
  reason: Misfit,
  most: number,
): number[] {
  const shrinking = shrinkingBy(reason);
  if (shrinking === undefined) return [];
  const counts: number[] = [];
  const note = (bound: number) => {
    const times = Math.min(bound, most);
    if (times >= 0 && !counts.includes(times)) counts.push(times);
  };
  for (const [node] of scope.groups) {
    const group = cluster.data.groups[cluster.facts.groupOf[node as number] as number];
    const { minMax } = (group as { policy: InstancePolicy }).policy;
    for (const { min } of minMax) note(stepsDownTo(min, spec, shrinking));
    // If spindles are not checked, policies do not bound them.
    if (minMax.length === 0 || reason === failSpindles) note(most);
  }
  return counts.sort((a, b) => a - b);
}

function stepsDownTo(min: InstanceSpec, spec: TrialSpec, { resource, step }: Shrinking): number {
  return Math.floor((spec[resource] - trialSpec(min)[resource]) / step);
}

/**
 * Search up to `last`, with which some instance fits. With one bound per policy, sizes that do not fit and
 * smaller ones that do differ only in this resource, so it is among the reasons of the former.
 */
function firstToTry(session: Session, spec: TrialSpec, reason: Misfit, last: number): number {
  const { groups } = session.cluster.data;
  if (groups.some(({ policy }) => policy.minMax.length > 1)) return 0;
  let below = -1;
  let fitting = last;
  while (fitting - below > 1) {
    const middle = Math.floor((below + fitting) / 2);
    if (session.assess(shrunk(spec, reason, middle)).feasible > 0) fitting = middle;
    else below = middle;
  }
  return fitting;
}
