/**
 * Explanation of the answer to a request.
 *
 * The answer itself comes from `answerRequest`; the explanation examines every candidate again with the same
 * rules, and records the reasons. The input is not changed.
 */
import type { AllocatorRequest, Explanation, InstanceExplanation } from "@ganeti-ts/protocol";
import { admit, orderFor } from "../allocate/order.js";
import { type RequestOptions, requestDefaults } from "../allocate/request-options.js";
import { answerCapacity, orderAt } from "../capacity/answer-capacity.js";
import { placementOf } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import type { LoadOptions } from "../model/load.js";
import { finished, type InParts } from "../parts.js";
import { answerInParts } from "../requests.js";
import type { TrialLimits } from "./change-trials.js";
import { type Allocating, explainAllocation } from "./explain-allocation.js";
import { explainBalance } from "./explain-balance.js";
import { placeNames } from "./explain-choice.js";
import { explainChangeGroup, explainEvacuation, unexplained } from "./explain-evacuation.js";
import { explainSecondary } from "./explain-secondary.js";
import { instanceNeeds } from "./instance-needs.js";
import { nodeName } from "./refusal.js";
import { type Explained, type Suggested, suggestFor } from "./suggest.js";

/** Options of `explainRequest`: those of the request, and limits of what is listed and searched. */
interface ExplainOptions extends RequestOptions {
  /** Options with which the cluster was loaded; suggestions are tested on a newly loaded cluster. */
  readonly load?: LoadOptions;
  /** Maximum number of candidates of each kind listed per group; all are counted. Default 100. */
  readonly listMax?: number;
  /** Whether to search for changes that would let failed instances succeed. Default true. */
  readonly suggestions?: boolean;
  /** Limit of this search: a clock in milliseconds, and the maximum time. */
  readonly clock?: { readonly now: () => number; readonly suggestionsMs: number };
}

/** The answer of `answerRequest` with its reasons: every candidate, and the smallest changes that would help. */
export const explainRequest = (
  cluster: Cluster,
  request: AllocatorRequest,
  options: ExplainOptions = requestDefaults,
): Explanation => finished(explainInParts(cluster, request, options));

/** Like `explainRequest`, in parts: the answer, its reasons, and each trial of a change. The cluster must stay as it is. */
export function* explainInParts(
  cluster: Cluster,
  request: AllocatorRequest,
  options: ExplainOptions = requestDefaults,
): InParts<Explanation> {
  const { answer, dedicated } = yield* answerInParts(cluster, request, options);
  const { listMax = 100 } = options;
  yield;
  const instances = explain(cluster.copy(), request, options, dedicated, listMax);
  const failed = instances.filter(({ to }) => to.length === 0);
  const search = { cluster, request, options, load: options.load ?? {}, answer };
  const limitsFor = trialLimits(cluster, failed.length, options);
  const explained: InstanceExplanation[] = [];
  for (const one of instances) {
    const needsNone = request.type === "capacity" || one.to.length > 0;
    const suggested: Suggested =
      options.suggestions === false || needsNone
        ? { suggestions: [], suggestionsComplete: needsNone }
        : yield* suggestFor({ ...search, trialLimits: limitsFor(failed.indexOf(one)) }, one);
    explained.push({ ...one, ...suggested });
  }
  return {
    request: request.type,
    success: answer.success,
    info: answer.info,
    metric: dedicated ? "lost-allocations" : "score",
    ignoreSoftErrors: options.ignoreSoftErrors,
    capacityChecks: options.capacityChecks,
    instances: explained,
  };
}

/** Failed instances share the time; without a clock, the number of trials decreases with their cost. */
function trialLimits(cluster: Cluster, failures: number, { clock }: ExplainOptions) {
  const { nodeCount, instanceCount } = cluster;
  const probes = Math.max(60, Math.floor(400_000 / (1 + nodeCount + instanceCount)));
  if (clock === undefined) {
    return (): TrialLimits => ({ trialsMax: Math.max(30, Math.min(1500, probes) / failures) });
  }
  const { now, suggestionsMs } = clock;
  const start = now();
  return (at: number): TrialLimits => ({
    trialsMax: 1500,
    now,
    end: start + (suggestionsMs * (at + 1)) / failures,
  });
}

function explain(
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions,
  dedicated: boolean,
  listMax: number,
): Explained[] {
  switch (request.type) {
    case "allocate": {
      const restrictTo = options.restrictTo ?? request.restrictToNodes;
      const order = orderFor(cluster, request);
      const { groupName } = request;
      const asked = { order, groupName, dedicated, options: { ...options, restrictTo }, listMax };
      return [explainNewcomer(cluster, asked).explained];
    }
    case "multi-allocate":
      return explainSeveral(cluster, request, options, dedicated, listMax);
    case "capacity":
      return [explainCapacity(cluster, request, options, dedicated, listMax)];
    case "allocate-secondary":
      return [explainSecondary(cluster, request.instanceIndex, options, listMax)];
    case "relocate":
      return [explainRelocation(cluster, request, options, listMax)];
    case "node-evacuate": {
      const { instanceIndices, mode } = request;
      const share = shareOf(listMax, instanceIndices.length);
      return explainEvacuation(cluster, instanceIndices, mode, options, share);
    }
    case "change-group": {
      const share = shareOf(listMax, request.instanceIndices.length);
      return explainChangeGroup(cluster, request, options, share);
    }
    case "balance":
      return explainBalance(cluster, request, options);
  }
}

/** Explains the first instance that does not fit, or, if all requested ones were placed, the next. */
function explainCapacity(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "capacity" }>,
  options: RequestOptions,
  dedicated: boolean,
  listMax: number,
): Explained {
  const { groupName } = request;
  const answered = finished(answerCapacity(cluster, request, options, dedicated));
  const count = answered.ok ? (answered.value.result as [number])[0] : 0;
  const order = orderAt(cluster, request, count);
  const restrictTo = options.restrictTo ?? request.restrictToNodes;
  const asked = { order, groupName, dedicated, options: { ...options, restrictTo }, listMax };
  return explainNewcomer(cluster, asked).explained;
}

/** With many instances, fewer candidates are listed for each. */
const shareOf = (listMax: number, instances: number): number =>
  Math.max(Math.min(10, listMax), Math.floor(listMax / Math.max(1, instances)));

function explainNewcomer(cluster: Cluster, asked: Allocating) {
  const { groups, choice, reason, found, place } = explainAllocation(cluster, asked);
  const { instance } = asked.order;
  const explained: Explained = {
    instance: instance.data.name,
    needs: instanceNeeds(instance),
    from: [],
    to: place ? placeNames(cluster, place) : [],
    reason,
    groups,
    choice,
  };
  return { explained, found, place };
}

/** Proceeds like `multiAllocate`; ends if the whole request fails. */
function explainSeveral(
  cluster: Cluster,
  { wanted, groupName }: Extract<AllocatorRequest, { type: "multi-allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
  listMax: number,
): Explained[] {
  const initial = dedicated && groupName !== undefined ? cluster.copy() : undefined;
  const all: Explained[] = [];
  const share = shareOf(listMax, wanted.length);
  let allowed: readonly number[] | undefined;
  for (const one of wanted) {
    const order = orderFor(cluster, one);
    const asked = { order, groupName, allowed, dedicated, options, listMax: share };
    const { explained, found, place } = explainNewcomer(initial ?? cluster, asked);
    all.push(explained);
    if (!found.ok) break;
    if (place === undefined) continue;
    admit(cluster, order, place, cluster.instanceCount);
    if (dedicated) allowed = [found.value.group];
  }
  return all;
}

function explainRelocation(
  cluster: Cluster,
  { instanceIndex, requiredNodes, relocateFrom }: Extract<AllocatorRequest, { type: "relocate" }>,
  options: RequestOptions,
  listMax: number,
): Explained {
  const instance = cluster.instances[instanceIndex] as Instance;
  const placement = placementOf(cluster, instanceIndex);
  const base = unexplained(cluster, instance, placement);
  if (requiredNodes !== 1) {
    return { ...base, reason: `it is to be moved to ${requiredNodes} nodes, but moves are to one` };
  }
  const mirrored = mirroring(instance.data.diskTemplate);
  if (mirrored === "none") {
    const { diskTemplate } = instance.data;
    return { ...base, reason: `${diskTemplate} instances have no copy to go on from` };
  }
  const role = mirrored === "internal" ? "secondary" : "primary";
  const leaving = placement[role];
  if (relocateFrom.length !== 1 || relocateFrom[0] !== leaving) {
    const names = relocateFrom.map((node) => nodeName(cluster, node)).join(", ") || "no node";
    const reason = `it is to leave ${names}, but its ${role} is ${nodeName(cluster, leaving)}`;
    return { ...base, reason };
  }
  const [moved] = explainEvacuation(cluster, [instanceIndex], `${role}-only`, options, listMax);
  return moved as Explained;
}
