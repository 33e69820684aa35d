/**
 * Free capacity of a cluster, as a number of instances: of sizes that shrink as resources run out (tiered),
 * and of one size (standard). Source: Ganeti, HTools/Program/Hspace.hs.
 */
import { type CancelSignal, type DiskTemplate, isMirrored } from "@ganeti-ts/protocol";
import { failure, type Result, success } from "../allocate/request-options.js";
import { type MisfitCounts, type MisfitName, misfitNames } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import { defaultPolicy } from "../model/default-policy.js";
import { finished } from "../parts.js";
import { type CapacityStep, type CapacitySteps, fixedRun } from "./fixed-run.js";
import { type CapacityScope, findScope, type ScopeOptions } from "./scope.js";
import { type Placed, Session } from "./session.js";
import { tieredRun } from "./tiered-run.js";
import { sameSpec, type TrialKind, type TrialSpec, trialSpec } from "./trial.js";

/** Sizes and scope of a capacity run. */
interface CapacityOptions extends ScopeOptions {
  /** Default: the first of the cluster's policy. */
  readonly diskTemplate: DiskTemplate | undefined;
  /** Default: that of the policy's standard size. */
  readonly spindleUse: number | undefined;
  /** Maximum number of instances; undefined: all that fit. 0 places none and tries one. */
  readonly limit: number | undefined;
  /** Initial sizes. Default: the largest ones of the cluster's policy; its standard one. */
  readonly tieredSpec: TrialSpec | undefined;
  readonly standardSpec: TrialSpec | undefined;
}

const capacityDefaults: CapacityOptions = {
  diskTemplate: undefined,
  spindleUse: undefined,
  limit: undefined,
  tieredSpec: undefined,
  standardSpec: undefined,
  capacityChecks: true,
  independentGroups: false,
  acceptExistingErrors: false,
};

/** Input of the runs: the sizes to try, and the nodes. */
export interface CapacityPlan {
  readonly cluster: Cluster;
  readonly scope: CapacityScope;
  readonly kind: TrialKind;
  /** At least one. */
  readonly tieredSpecs: readonly TrialSpec[];
  readonly standardSpec: TrialSpec;
  readonly limit: number | undefined;
}

/** Callbacks of a capacity run, for progress and for stopping it. */
interface CapacityWatch {
  readonly onProgress?: ((step: CapacityStep) => void) | undefined;
  /** Once it is aborted, no further instance is placed. */
  readonly signal?: Pick<CancelSignal, "aborted"> | undefined;
}

/** Result of filling the cluster with instances of one size, or of ever smaller ones. */
export interface CapacityRun {
  /** The initial size. */
  readonly spec: TrialSpec;
  readonly placed: readonly Placed[];
  /** Reasons why the last attempt failed, most frequent first; empty if nothing was tried. */
  readonly failures: readonly { readonly reason: MisfitName; readonly count: number }[];
  readonly after: Cluster;
  readonly aborted: boolean;
}

/** Leaves the cluster unchanged. Fails, in Ganeti's words, if its policy has no templates or sizes. */
export function planCapacity(
  cluster: Cluster,
  chosen: Partial<CapacityOptions> = {},
): Result<CapacityPlan> {
  const options = { ...capacityDefaults, ...chosen };
  const policy = cluster.data.policy ?? defaultPolicy;
  const [firstTemplate] = policy.diskTemplates;
  if (firstTemplate === undefined) {
    return failure("null list of disk templates received from cluster");
  }
  const diskTemplate = options.diskTemplate ?? firstTemplate;
  const copies = isMirrored(diskTemplate) ? 2 : 1;
  const { tieredSpec, standardSpec } = options;
  return success({
    cluster,
    scope: findScope(cluster, copies, options),
    kind: { diskTemplate, spindleUse: options.spindleUse ?? policy.std.spindleUse },
    tieredSpecs: tieredSpec ? [tieredSpec] : policy.minMax.map(({ max }) => trialSpec(max)),
    standardSpec: standardSpec ?? trialSpec(policy.std),
    limit: options.limit,
  });
}

/**
 * Sizes shrink from the largest; several largest ones are tried one after the other. Yields each size
 * tried and each instance placed. Fails, in Ganeti's words, without nodes to place anything on.
 */
export function tieredCapacity(
  plan: CapacityPlan,
  watch: CapacityWatch = {},
): CapacitySteps<Result<CapacityRun>> {
  const { limit, tieredSpecs } = plan;
  const tries = limit === undefined || limit > 0;
  return run(plan, tieredSpecs[0] as TrialSpec, tries, watch, function* (session) {
    let failures: MisfitCounts | undefined;
    for (const spec of tieredSpecs) {
      const { length: placed } = session.placed;
      if (limit !== undefined && limit <= placed) break;
      const left = limit === undefined ? undefined : limit - placed;
      failures = yield* tieredRun(session, spec, left);
    }
    return failures;
  });
}

/** All instances have one size; otherwise like `tieredCapacity`. */
export function standardCapacity(
  plan: CapacityPlan,
  watch: CapacityWatch = {},
): CapacitySteps<Result<CapacityRun>> {
  return run(plan, plan.standardSpec, true, watch, (session) =>
    fixedRun(session, plan.standardSpec, plan.limit),
  );
}

function* run(
  plan: CapacityPlan,
  spec: TrialSpec,
  tries: boolean,
  { onProgress, signal }: CapacityWatch,
  place: (session: Session) => CapacitySteps<MisfitCounts | undefined>,
): CapacitySteps<Result<CapacityRun>> {
  const { cluster, scope, kind } = plan;
  const after = cluster.copy();
  const session = new Session(after, scope, kind);
  const done = (failures: CapacityRun["failures"], aborted: boolean) => {
    const newcomers = session.placed.map((_, i) => cluster.instanceCount + i);
    after.shownInstances = [...after.shownInstances, ...newcomers];
    return success({ spec, placed: session.placed, failures, after, aborted });
  };
  if (scope.blocked) return done([{ reason: "FailN1", count: 1 }], false);
  if (tries && scope.groups.length === 0) {
    return failure(scope.copies === 1 ? "No online nodes" : "Not enough online nodes");
  }
  const steps = place(session);
  for (;;) {
    if (signal?.aborted) {
      session.rollbackToCommitted();
      return done([], true);
    }
    const step = steps.next();
    if (step.done) return done(step.value ? mostFirst(step.value) : [], false);
    onProgress?.(step.value);
    yield step.value;
  }
}

/** Equally frequent reasons keep the order of their definition. */
function mostFirst(failures: MisfitCounts): CapacityRun["failures"] {
  return misfitNames
    .map((reason, misfit) => ({ reason, count: failures.of(misfit) }))
    .sort((a, b) => b.count - a.count);
}

/** Number of instances of each size, in the order of placement; consecutive equal sizes are combined. */
export function tiersOf(
  placed: readonly Placed[],
): readonly { readonly spec: TrialSpec; readonly count: number }[] {
  const tiers: { spec: TrialSpec; count: number }[] = [];
  for (const { spec } of placed) {
    const last = tiers.at(-1);
    if (last && sameSpec(last.spec, spec)) last.count++;
    else tiers.push({ spec, count: 1 });
  }
  return tiers;
}

/** Runs all steps and returns the result. */
export const finishCapacity = (steps: CapacitySteps<Result<CapacityRun>>): Result<CapacityRun> =>
  finished(steps);
