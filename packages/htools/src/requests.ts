/** Answers to allocator requests, worded exactly as Ganeti's. */
import type { AllocatorAnswer, AllocatorRequest } from "@ganeti-ts/protocol";
import { allocateAnywhere, allocateInGroup } from "./allocate/allocate.js";
import { allocateSecondary } from "./allocate/allocate-secondary.js";
import { placeNames } from "./allocate/allocation.js";
import {
  allocateDedicatedAnywhere,
  allocateDedicatedInGroup,
  isDedicated,
} from "./allocate/dedicated.js";
import { changeGroup, evacuate, evacuationDone } from "./allocate/evacuation.js";
import { multiAllocate } from "./allocate/multi-allocate.js";
import { admit, orderFor } from "./allocate/order.js";
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

/** An answer with the cluster as it would be afterwards. */
export interface Answered {
  readonly answer: AllocatorAnswer;
  /** The cluster after the placement; unchanged after a refusal. */
  readonly after: Cluster;
  /** The lost-allocations metric was used. */
  readonly dedicated: boolean;
}

/** The answer of `hail` to a request; leaves the given cluster unchanged. */
export function answerRequest(
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions = requestDefaults,
): Answered {
  const dedicated = usesLostAllocations(cluster, request);
  const done = answer(cluster.copy(), request, options, dedicated);
  if (!done.ok) {
    const info = `Request failed: ${done.reason}`;
    return { answer: { success: false, info, result: [] }, after: cluster, dedicated };
  }
  const { result, after } = done.value;
  const info = `Request successful: ${done.value.info}`;
  return { answer: { success: true, info, result }, after, dedicated };
}

/** Decided once for a whole request. */
function usesLostAllocations(cluster: Cluster, request: AllocatorRequest): boolean {
  if (request.type === "allocate" || request.type === "capacity") {
    return isDedicated(cluster, request.groupName);
  }
  if (request.type !== "multi-allocate") return false;
  return isDedicated(cluster, request.wanted.length > 0 ? request.groupName : undefined);
}

function answer(
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions,
  dedicated: boolean,
): Result<Done> {
  switch (request.type) {
    case "allocate":
      return allocate(cluster, request, options, dedicated);
    case "multi-allocate":
      return multiAllocate(cluster, request, options, dedicated);
    case "capacity":
      return answerCapacity(cluster, request, options, dedicated);
    case "allocate-secondary":
      return allocateSecondary(cluster, request.instanceIndex, options);
    case "relocate":
      return relocate(cluster, request, options);
    case "node-evacuate": {
      const { instanceIndices, mode } = request;
      return success(evacuationDone(cluster, evacuate(cluster, instanceIndices, mode, options)));
    }
    case "change-group": {
      const { instanceIndices, targetGroups } = request;
      return success(
        evacuationDone(cluster, changeGroup(cluster, instanceIndices, targetGroups, options)),
      );
    }
    case "balance": {
      const found = balanceAsAsked(cluster, request, options);
      if (!found.ok) return found;
      return success({ ...balanceAnswer(cluster, found.value), after: cluster });
    }
  }
}

function allocate(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
): Result<Done> {
  const { groupName } = request;
  const order = orderFor(cluster, request);
  const restricted = { ...options, restrictTo: options.restrictTo ?? request.restrictToNodes };
  const anywhere = dedicated ? allocateDedicatedAnywhere : allocateAnywhere;
  const inGroup = dedicated ? allocateDedicatedInGroup : allocateInGroup;
  const allocated =
    groupName === undefined
      ? anywhere(cluster, order, restricted)
      : inGroup(cluster, order, groupName, restricted);
  if (!allocated.ok) return allocated;
  const { place, texts, group } = allocated.value;
  const info = texts.join(", ");
  if (place === undefined) return failure(info);
  admit(cluster, order, place, options.newcomerUnnumbered ? -1 : cluster.instanceCount);
  const known = cluster.shownInstances;
  cluster.shownInstances = [cluster.instanceCount - 1, ...known];
  // Ganeti then shows only the nodes of the group that was considered.
  if (groupName !== undefined || dedicated) {
    cluster.shownNodes = cluster.nodesByGroup[group] as readonly number[];
  }
  return success({ info, result: placeNames(cluster, place), after: cluster });
}
