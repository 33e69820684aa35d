/** Answers to allocator requests, worded exactly as Ganeti's. */
import type { AllocatorAnswer, AllocatorRequest } from "@ganeti-ts/protocol";
import { allocate } from "./allocate/allocate.js";
import { allocateSecondary } from "./allocate/allocate-secondary.js";
import { type Place, placeNames } from "./allocate/allocation.js";
import { isDedicated } from "./allocate/dedicated.js";
import { changeGroup, evacuate, evacuationDone } from "./allocate/evacuation.js";
import { multiAllocate } from "./allocate/multi-allocate.js";
import { admit, type Order, orderFor } from "./allocate/order.js";
import { relocate } from "./allocate/relocate.js";
import {
  type Done,
  failure,
  type RequestOptions,
  type Result,
  requestDefaults,
  success,
} from "./allocate/request-options.js";
import { balanceAnswer, balanceAsAsked } from "./balance/answer-balance.js";
import { answerCapacity } from "./capacity/answer-capacity.js";
import type { Cluster } from "./model/cluster.js";
import { finished, type InParts } from "./parts.js";

/** An answer with the cluster as it would be afterwards. */
export interface Answered {
  readonly answer: AllocatorAnswer;
  /**
   * The cluster after the placement; unchanged after a refusal. After an allocation it is made when it is first read.
   */
  readonly after: Cluster;
  /** The lost-allocations metric was used. */
  readonly dedicated: boolean;
}

/** The answer of `hail` to a request; leaves the given cluster unchanged. */
export const answerRequest = (
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions = requestDefaults,
): Answered => finished(answerInParts(cluster, request, options));

/**
 * Like `answerRequest`; requests for more than one instance yield after each, and balancing while it searches. Changes of
 * the cluster between parts do not affect the answer.
 */
export function* answerInParts(
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions = requestDefaults,
): InParts<Answered> {
  cluster.checkCurrent();
  const dedicated = usesLostAllocations(cluster, request);
  if (request.type === "allocate") return allocated(cluster, request, options, dedicated);
  const done = yield* answer(cluster.copy(), request, options, dedicated);
  if (!done.ok) return { answer: refused(done.reason), after: cluster, dedicated };
  const { result, after } = done.value;
  const info = `Request successful: ${done.value.info}`;
  return { answer: { success: true, info, result }, after, dedicated };
}

const refused = (reason: string): AllocatorAnswer => ({
  success: false,
  info: `Request failed: ${reason}`,
  result: [],
});

/**
 * Searches on the given cluster itself, because every trial is undone: a large cluster is copied only if the one
 * after the placement is read.
 */
function allocated(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
): Answered {
  const mark = cluster.mark();
  try {
    const found = findPlace(cluster, request, options, dedicated);
    if (!found.ok) return { answer: refused(found.reason), after: cluster, dedicated };
    const { info, place } = found.value;
    const result = placeNames(cluster, place);
    const showsGroup = request.groupName !== undefined || dedicated;
    let after: Cluster | undefined;
    return {
      answer: { success: true, info: `Request successful: ${info}`, result },
      get after() {
        after ??= withPlace(cluster.copy(), found.value, options, showsGroup);
        return after;
      },
      dedicated,
    };
  } finally {
    cluster.rollback(mark);
  }
}

/** Decided once for a whole request. */
function usesLostAllocations(cluster: Cluster, request: AllocatorRequest): boolean {
  if (request.type === "allocate" || request.type === "capacity") {
    return isDedicated(cluster, request.groupName);
  }
  if (request.type !== "multi-allocate") return false;
  return isDedicated(cluster, request.wanted.length > 0 ? request.groupName : undefined);
}

function* answer(
  cluster: Cluster,
  request: Exclude<AllocatorRequest, { type: "allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
): InParts<Result<Done>> {
  switch (request.type) {
    case "multi-allocate":
      return yield* multiAllocate(cluster, request, options, dedicated);
    case "capacity":
      return yield* answerCapacity(cluster, request, options, dedicated);
    case "allocate-secondary":
      return allocateSecondary(cluster, request.instanceIndex, options);
    case "relocate":
      return relocate(cluster, request, options);
    case "node-evacuate": {
      const { instanceIndices, mode } = request;
      const moved = yield* evacuate(cluster, instanceIndices, mode, options);
      return success(evacuationDone(cluster, moved));
    }
    case "change-group": {
      const { instanceIndices, targetGroups } = request;
      const moved = yield* changeGroup(cluster, instanceIndices, targetGroups, options);
      return success(evacuationDone(cluster, moved));
    }
    case "balance": {
      const found = yield* balanceAsAsked(cluster, request, options);
      if (!found.ok) return found;
      return success({ ...balanceAnswer(cluster, found.value), after: cluster });
    }
  }
}

interface Found {
  readonly info: string;
  readonly order: Order;
  readonly place: Place<unknown>;
  readonly group: number;
}

function findPlace(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
): Result<Found> {
  const { groupName } = request;
  const order = orderFor(cluster, request);
  const restricted = { ...options, restrictTo: options.restrictTo ?? request.restrictToNodes };
  const allocated = allocate(cluster, order, { groupName, dedicated }, restricted);
  if (!allocated.ok) return allocated;
  const { place, texts, group } = allocated.value;
  const info = texts.join(", ");
  return place === undefined ? failure(info) : success({ info, order, place, group });
}

/** The cluster, which is changed, with the new instance on its nodes. */
function withPlace(
  cluster: Cluster,
  { order, place, group }: Found,
  options: RequestOptions,
  showsGroup: boolean,
): Cluster {
  admit(cluster, order, place, options.newcomerUnnumbered ? -1 : cluster.instanceCount);
  const known = cluster.shownInstances;
  cluster.shownInstances = [cluster.instanceCount - 1, ...known];
  // Ganeti then shows only the nodes of the group that was considered.
  if (showsGroup) cluster.shownNodes = cluster.nodesByGroup[group] as readonly number[];
  return cluster;
}
