/**
 * Placement of instances of one size until none fits.
 *
 * Mirrored instances are placed one by one, without checking whether all nodes can be emptied. The others are
 * placed in large steps and checked at the end of each step, and one by one only after such a check fails.
 * The steps are the original's: sometimes they accept a placement that checking one by one would refuse.
 * Source: Ganeti, HTools/Cluster.hs (`iterateAlloc`).
 */

import { failN1, type MisfitCounts } from "../fit/misfit.js";
import { field } from "../model/node-columns.js";
import type { Session } from "./session.js";
import type { TrialSpec } from "./trial.js";

/** A size about to be tried, or an instance of it that was placed. */
export interface CapacityStep {
  /** Instances placed so far; some may be removed again. */
  readonly placed: number;
  readonly spec: TrialSpec;
}

/** A capacity run in parts: each `next()` places some instances, so that other work can happen in between. */
export type CapacitySteps<T> = Generator<CapacityStep, T>;

const smallStep = 10;
const largeStepMin = 20;

/**
 * @param limit maximum number to place; undefined or negative: all that fit
 * @returns failures of the attempt after the last instance, or those of an attempt before one succeeded
 */
export function* fixedRun(
  session: Session,
  spec: TrialSpec,
  limit: number | undefined,
): CapacitySteps<MisfitCounts> {
  yield { placed: session.placed.length, spec };
  const { failures, feasible } = session.assess(spec);
  if (feasible === 0) return failures;
  if (session.scope.copies === 2 || session.scope.examined === undefined) {
    yield* placeUnchecked(session, spec, limit);
    return session.assess(spec).failures;
  }
  // A run of length 0 is not checked.
  if (limit !== 0 && !session.mayFit(spec)) {
    failures.add(failN1, feasible);
    return failures;
  }
  let large = true;
  let left = limit;
  for (;;) {
    const step = large ? largeStep(session, spec) : smallStep;
    const most = left === undefined ? step : Math.min(step, left);
    const mark = session.mark();
    const { placed, stuck } = yield* placeInStep(session, spec, most);
    if (!stuck && session.holds) {
      session.commit();
      left = left === undefined ? undefined : Math.max(0, left - step);
      if (left === 0 || placed === 0) return session.assess(spec).failures;
      continue;
    }
    session.rollback(mark);
    // A small step starts with the same instances.
    if (!large || (stuck && placed <= smallStep)) return yield* placeChecked(session, spec, left);
    large = false;
  }
}

/** Estimate of the number that fits, less one per node for unusable remainders. */
function largeStep({ cluster }: Session, { memoryMib }: TrialSpec): number {
  let available = 0;
  for (let node = 0; node < cluster.nodeCount; node++) {
    const unallocated = cluster.get(node, field.memoryUnallocated);
    available += Math.max(0, unallocated - cluster.get(node, field.memoryReserved));
  }
  return Math.max(largeStepMin, Math.floor(available / memoryMib) - cluster.nodeCount);
}

function* placeUnchecked(
  session: Session,
  spec: TrialSpec,
  limit: number | undefined,
): CapacitySteps<void> {
  for (let placed = 0; placed !== limit && session.place(spec); placed++) {
    session.commit();
    yield { placed: session.placed.length, spec };
  }
}

/** Ends early once some node cannot be emptied, whatever else is placed. */
function* placeInStep(
  session: Session,
  spec: TrialSpec,
  limit: number,
): CapacitySteps<{ readonly placed: number; readonly stuck: boolean }> {
  let placed = 0;
  for (let lookAt = 1; placed !== limit && session.place(spec); ) {
    placed++;
    yield { placed: session.placed.length, spec };
    if (placed < lookAt) continue;
    if (session.isHopeless) return { placed, stuck: true };
    lookAt *= 2;
  }
  return { placed, stuck: false };
}

function* placeChecked(
  session: Session,
  spec: TrialSpec,
  limit: number | undefined,
): CapacitySteps<MisfitCounts> {
  for (let left = limit; ; left = left === undefined ? undefined : left - 1) {
    const { failures } = session.assess(spec);
    const { placement, passedOver } = session.findChecked(spec);
    failures.add(failN1, passedOver);
    if (placement === undefined || left === 0) return failures;
    session.settle(spec, placement);
    session.commit();
    yield { placed: session.placed.length, spec };
  }
}
