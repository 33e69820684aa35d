/** Allocation of several instances, each in the state its predecessors left. */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { InParts } from "../parts.js";
import { allocate } from "./allocate.js";
import { type Allocated, placeNames, solutionText } from "./allocation.js";
import { allocateDedicatedInGroup, lostAllocationsText } from "./dedicated.js";
import { admit, expectSeries, type Order, orderFor } from "./order.js";
import { type Done, type RequestOptions, type Result, success } from "./request-options.js";

/**
 * Without a group the whole request fails with the first instance that cannot be placed; with a group, such
 * instances are listed as failed. On dedicated clusters, as in Ganeti, a named group is considered in its
 * initial state for each instance, and without a name all instances go to the group of the first.
 */
export function* multiAllocate(
  cluster: Cluster,
  { wanted, groupName }: Extract<AllocatorRequest, { type: "multi-allocate" }>,
  options: RequestOptions,
  dedicated: boolean,
): InParts<Result<Done>> {
  const initial = dedicated && groupName !== undefined ? cluster.copy() : undefined;
  const allocated: [name: string, nodes: string[]][] = [];
  const failed: [name: string, reason: string][] = [];
  let chosenGroups: readonly number[] | undefined;
  expectSeries(cluster);
  for (const one of wanted) {
    yield;
    const order = orderFor(cluster, one);
    const { name } = one.instance;
    const found: Result<Allocated<unknown>> = initial
      ? onInitialState(initial, order, groupName as string, options)
      : allocate(cluster, order, { groupName, dedicated, allowed: chosenGroups }, options);
    if (!found.ok) return found;
    const { place, texts, group } = found.value;
    if (place === undefined) {
      failed.push([name, texts.join(", ")]);
      continue;
    }
    allocated.push([name, placeNames(cluster, place)]);
    const index = cluster.instanceCount;
    admit(cluster, order, place, index);
    cluster.shownInstances = [...cluster.shownInstances, index];
    if (dedicated) chosenGroups = [group];
    if (groupName !== undefined || dedicated) {
      cluster.shownNodes = cluster.nodesByGroup[group] as readonly number[];
    }
  }
  const info = `${failed.length} instances failed to allocate and ${allocated.length} were allocated successfully`;
  return success({ info, result: [allocated, failed], after: cluster });
}

/** Reasons in this case do not contain the name of the group. */
function onInitialState(
  cluster: Cluster,
  order: Order,
  groupName: string,
  options: RequestOptions,
): Result<Allocated<unknown>> {
  const found = allocateDedicatedInGroup(cluster, order, groupName, options);
  if (!found.ok) return found;
  const text = solutionText(cluster, found.value.solution, lostAllocationsText);
  return success({ ...found.value, texts: [text] });
}
