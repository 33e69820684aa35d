/** Answers allocator requests. What a request finds out is worded exactly as Ganeti words it. */
import type { AllocatorAnswer, AllocatorRequest } from "@ganeti-ts/protocol";
import { allocateAnywhere, allocateInGroup, makeSearch } from "./allocate/allocate.js";
import { placeNames, scoreText, solutionText } from "./allocate/allocation.js";
import {
  allocateDedicatedAnywhere,
  allocateDedicatedInGroup,
  isDedicated,
} from "./allocate/dedicated.js";
import { changeGroup, type Evacuation, evacuate } from "./allocate/evacuation.js";
import { multiAllocate } from "./allocate/multi-allocate.js";
import { admit, orderFor, settlePlace } from "./allocate/order.js";
import { searchPairs } from "./allocate/pair-search.js";
import { failure, type RequestOptions, type Result, success } from "./allocate/request-options.js";
import { balanceAnswer, balanceAsAsked } from "./balance/answer-balance.js";
import { answerCapacity } from "./capacity/answer-capacity.js";
import { removePrimary } from "./fit/placing.js";
import type { Cluster } from "./model/cluster.js";
import { mirroring } from "./model/disk-template.js";
import { makeInstance } from "./model/instance.js";

export interface Answered {
  readonly answer: AllocatorAnswer;
  /** The cluster as it would be; after a refusal, as it was. */
  readonly after: Cluster;
  /** The lost-allocations metric was used. */
  readonly dedicated: boolean;
}

interface Done {
  readonly info: string;
  readonly result: unknown;
  readonly after: Cluster;
}

/** The cluster given is not changed. */
export function answerRequest(
  cluster: Cluster,
  request: AllocatorRequest,
  options: RequestOptions,
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
  admit(cluster, order, place, -1);
  const known = cluster.shownInstances;
  cluster.shownInstances = [cluster.instanceCount - 1, ...known];
  // Ganeti then knows only the nodes of the group that was looked at.
  if (groupName !== undefined || dedicated) {
    cluster.shownNodes = cluster.nodesByGroup[group] as readonly number[];
  }
  return success({ info, result: placeNames(cluster, place), after: cluster });
}

/** Turns an instance without a mirror into a mirrored one: only the secondary is chosen. */
function allocateSecondary(cluster: Cluster, index: number, options: RequestOptions): Result<Done> {
  const known = cluster.instances[index] as (typeof cluster.instances)[number];
  const primary = cluster.primaryOf[index] as number;
  if ((cluster.secondaryOf[index] as number) >= 0) {
    return failure("Instance already has a secondary");
  }
  const data = { ...known.data, diskTemplate: "drbd" as const };
  const instance = makeInstance(data, index, cluster.tagRules, known.load);
  removePrimary(cluster, known, index, primary, cluster.locationScoreOf[index] as number);
  cluster.settle();
  const everyNode = cluster.data.nodes.map((_, node) => node);
  const order = { instance, requiredNodes: 2, locationScore: 0 };
  const search = makeSearch(cluster, order, everyNode, cluster.instanceCount, options);
  const group = cluster.nodesByGroup[cluster.facts.groupOf[primary] as number] as readonly number[];
  const solution = searchPairs(
    search,
    [primary],
    group.filter((node) => node !== primary),
  );
  const info = solutionText(cluster, solution, scoreText);
  const { place } = solution;
  if (place === undefined) return failure(info);
  settlePlace(cluster, instance, index, place);
  cluster.instances[index] = instance;
  cluster.relocateEntry(index, place.primary, place.secondary, place.locationScore);
  return success({ info, result: placeNames(cluster, place)[1], after: cluster });
}

function relocate(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "relocate" }>,
  options: RequestOptions,
): Result<Done> {
  const { instanceIndex: index, requiredNodes, relocateFrom } = request;
  if (requiredNodes !== 1) {
    return failure(`Exchange ${requiredNodes} nodes mode is not implemented`);
  }
  const { data } = cluster.instances[index] as (typeof cluster.instances)[number];
  const mirrored = mirroring(data.diskTemplate);
  if (mirrored === "none") return failure("Can't relocate non-mirrored instances");
  const role = mirrored === "internal" ? "secondary" : "primary";
  const nodeOf = mirrored === "internal" ? cluster.secondaryOf : cluster.primaryOf;
  const leaving = nodeOf[index] as number;
  if (relocateFrom.length !== 1 || relocateFrom[0] !== leaving) {
    const versus = `${leaving} versus [${relocateFrom.join(",")}]`;
    return failure(
      `Unsupported request: excluded nodes not equal to instance's ${role}(${versus})`,
    );
  }
  const { failed } = evacuate(cluster, [index], `${role}-only`, options);
  const [refused] = failed;
  if (refused !== undefined) return failure(refused.reason);
  const arrived = { primary: nodeOf[index] as number, secondary: -1 };
  return success({ info: "success", result: placeNames(cluster, arrived), after: cluster });
}

function evacuationDone(cluster: Cluster, { moved, failed }: Evacuation): Done {
  const info = `${failed.length} instances failed to move and ${moved.length} were moved successfully`;
  const nameOf = (index: number) => cluster.instances[index]?.data.name;
  const result = [
    moved.map(({ index, group, nodes }) => [
      nameOf(index),
      cluster.data.groups[group]?.name,
      placeNames(cluster, nodes),
    ]),
    failed.map(({ index, reason }) => [nameOf(index), reason]),
    moved.map(({ job }) => job),
  ];
  return { info, result, after: cluster };
}
