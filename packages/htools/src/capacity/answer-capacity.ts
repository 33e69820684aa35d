/**
 * Answer to the request `capacity`: the number of instances of this kind that can be allocated one after the
 * other, and their nodes. Not in Ganeti. Each is placed as `allocate` would place it, after the previous
 * ones.
 */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import { allocate, resultsByGroup, type Where } from "../allocate/allocate.js";
import { placeNames, type Solution } from "../allocate/allocation.js";
import { dedicatedResults } from "../allocate/dedicated.js";
import { findGroup, groupAt, hasNetworksFor } from "../allocate/group-choice.js";
import { admit, expectSeries, type Order, orderFor } from "../allocate/order.js";
import {
  type Done,
  failure,
  type RequestOptions,
  type Result,
  success,
} from "../allocate/request-options.js";
import { MisfitCounts } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import { usesLocalStorage } from "../model/disk-template.js";
import type { InParts } from "../parts.js";
import { scoreOf } from "../score/score-board.js";
import { finiteOrNull } from "../text/number-format.js";

type CapacityRequest = Extract<AllocatorRequest, { type: "capacity" }>;

/** @param cluster is changed */
export function* answerCapacity(
  cluster: Cluster,
  request: CapacityRequest,
  options: RequestOptions,
  dedicated: boolean,
): InParts<Result<Done>> {
  const refusal = cannotBeAsked(cluster, request);
  if (refusal !== undefined) return failure(refusal);
  const restricted = { ...options, restrictTo: options.restrictTo ?? request.restrictToNodes };
  const where = { groupName: request.groupName, dedicated };
  const scored = scoredNodes(cluster, request.groupName);
  const initialScore = scoreOf(cluster, scored);
  const placed: [name: string, nodes: string[]][] = [];
  let stop = "limit";
  expectSeries(cluster);
  while (request.countMax < 0 || placed.length < request.countMax) {
    const order = orderAt(cluster, request, placed.length);
    const found = allocate(cluster, order, where, restricted);
    const place = found.ok ? found.value.place : undefined;
    if (place === undefined) {
      stop = reasons(cluster, order, found, where, restricted);
      break;
    }
    placed.push([order.instance.data.name, placeNames(cluster, place)]);
    admit(cluster, order, place, cluster.instanceCount);
    yield;
  }
  const newcomers = placed.map((_, i) => cluster.instanceCount - placed.length + i);
  cluster.shownInstances = [...cluster.shownInstances, ...newcomers];
  const scores = {
    initial_score: finiteOrNull(initialScore),
    final_score: finiteOrNull(scoreOf(cluster, scored)),
  };
  const info = `${placed.length} instances can be allocated, stopped by ${stop}`;
  return success({ info, result: [placed.length, placed, { stop, ...scores }], after: cluster });
}

/** The instance to place after `count` have been placed. */
export function orderAt(cluster: Cluster, request: CapacityRequest, count: number): Order {
  const { instance, requiredNodes } = request;
  const name = `${instance.name}-${count}`;
  return orderFor(cluster, { instance: { ...instance, name }, requiredNodes });
}

/** Why the request itself is invalid, in the words of `allocate` if it has any. */
function cannotBeAsked(cluster: Cluster, request: CapacityRequest): string | undefined {
  const { groupName, requiredNodes, instance, countMax } = request;
  const group = groupName === undefined ? success(0) : findGroup(cluster, groupName);
  if (!group.ok) return group.reason;
  if (requiredNodes !== 1 && requiredNodes !== 2) {
    return "Unsupported number of nodes, only one or two  supported";
  }
  const { memoryMib, diskMib, vcpus } = instance;
  const usesDisk = diskMib > 0 && usesLocalStorage(instance.diskTemplate);
  const needsNothing = memoryMib <= 0 && !usesDisk && vcpus <= 0;
  if (needsNothing && countMax < 0) {
    return "An instance that needs nothing fits without end; say how many to place at most";
  }
  return undefined;
}

/** The nodes whose score is compared: those of the named group, or all. */
function scoredNodes(cluster: Cluster, groupName: string | undefined): readonly number[] {
  const group = groupName === undefined ? undefined : findGroup(cluster, groupName);
  if (group?.ok) return cluster.nodesByGroup[group.value] as readonly number[];
  return cluster.data.nodes.map((_, node) => node);
}

/** Reasons why the instance cannot be placed: the counts of all groups; without counts, the text. */
function reasons(
  cluster: Cluster,
  order: Order,
  found: ReturnType<typeof allocate>,
  { groupName, dedicated }: Where,
  options: RequestOptions,
): string {
  if (found.ok) return String(found.value.solution?.failures ?? "") || "unknown reasons";
  if (groupName !== undefined) return found.reason;
  const groups = [...cluster.nodesByGroup.keys()].filter(
    (group) =>
      (cluster.nodesByGroup[group] as readonly number[]).length > 0 &&
      hasNetworksFor(groupAt(cluster, group), order.instance),
  );
  const results: readonly { readonly result: Result<Solution<unknown>> }[] = dedicated
    ? dedicatedResults(cluster, order, options)
    : resultsByGroup(cluster, order, groups, options);
  const counts = new MisfitCounts();
  for (const { result } of results) if (result.ok) counts.addAll(result.value.failures, 1);
  return String(counts) || found.reason;
}
