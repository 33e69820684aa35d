/**
 * Explanation of an evacuation: instances are moved one after the other, each in the state its predecessors
 * left.
 */
import { type AllocatorRequest, type EvacuationMode, isMirrored } from "@ganeti-ts/protocol";
import { moveInstance, nodesLeft } from "../allocate/evacuation.js";
import type { RequestOptions } from "../allocate/request-options.js";
import { type Placement, placementOf } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { explainAllocation } from "./explain-allocation.js";
import { placeNames } from "./explain-choice.js";
import { type ExplainedMoving, explainMove } from "./explain-move.js";
import { instanceNeeds } from "./instance-needs.js";
import type { Explained } from "./suggest.js";

export function explainEvacuation(
  cluster: Cluster,
  indices: readonly number[],
  mode: EvacuationMode,
  { ignoreSoftErrors: force }: RequestOptions,
  listMax: number,
): Explained[] {
  const { offline, groupOf } = cluster.facts;
  const left = nodesLeft(cluster, indices, mode);
  return eachFromItsPlacement(cluster, indices, (instance, placement) => {
    const group = groupOf[placement.primary] as number;
    const targets = (cluster.nodesByGroup[group] as readonly number[]).filter(
      (node) => offline[node] === 0 && !left.has(node) && node !== placement.primary,
    );
    return moveOne(cluster, { instance, placement, mode, group, targets, force, listMax });
  });
}

export function explainChangeGroup(
  cluster: Cluster,
  { instanceIndices, targetGroups }: Extract<AllocatorRequest, { type: "change-group" }>,
  options: RequestOptions,
  listMax: number,
): Explained[] {
  const { offline, groupOf } = cluster.facts;
  const left = new Set(
    instanceIndices.map((index) => groupOf[cluster.primaryOf[index] as number] as number),
  );
  const all = cluster.data.groups.map((_, group) => group);
  const allowed = (targetGroups.length > 0 ? targetGroups : all).filter(
    (group) => !left.has(group),
  );
  return eachFromItsPlacement(cluster, instanceIndices, (instance, placement) => {
    const mirrored = isMirrored(instance.data.diskTemplate);
    const order = {
      instance,
      requiredNodes: mirrored ? 2 : 1,
      locationScore: placement.locationScore,
    };
    const asked = { order, groupName: undefined, allowed, dedicated: false, options, listMax };
    const { groups, found } = explainAllocation(cluster, asked);
    const base = unexplained(cluster, instance, placement);
    if (allowed.length === 0) {
      return {
        ...base,
        groups,
        reason: "there is no group to go to but those that are being left",
      };
    }
    if (!found.ok) return { ...base, groups, reason: "no group takes it" };
    const { group } = found.value;
    const targets = (cluster.nodesByGroup[group] as readonly number[]).filter(
      (node) => offline[node] === 0,
    );
    const moving: ExplainedMoving = {
      instance,
      placement,
      mode: "all",
      group,
      targets,
      force: false,
      listMax,
    };
    return { ...moveOne(cluster, moving), groups };
  });
}

/** Moves the instance, and explains the move in the state before it. */
function moveOne(cluster: Cluster, moving: ExplainedMoving): Explained {
  const { instance, placement } = moving;
  const before = cluster.copy();
  const outcome = moveInstance(cluster, moving);
  const to = outcome.ok ? outcome.value.placement : undefined;
  const { move, choice, reason } = explainMove(before, moving, to);
  const base = {
    ...unexplained(cluster, instance, placement),
    choice,
    reason,
    ...(move && { move }),
  };
  if (to === undefined) return base;
  cluster.settle();
  cluster.relocateEntry(instance.index, to.primary, to.secondary, to.locationScore);
  return { ...base, to: placeNames(cluster, to), reason: null };
}

/** An instance listed twice is moved twice from its initial nodes. */
function eachFromItsPlacement(
  cluster: Cluster,
  indices: readonly number[],
  explain: (instance: Instance, placement: Placement) => Explained,
): Explained[] {
  const placements = indices.map((index) => placementOf(cluster, index));
  return indices.map((index, i) =>
    explain(cluster.instances[index] as Instance, placements[i] as Placement),
  );
}

/** The explanation of an instance that stays where it is, without a reason yet. */
export function unexplained(cluster: Cluster, instance: Instance, placement: Placement): Explained {
  return {
    instance: instance.data.name,
    needs: instanceNeeds(instance),
    from: placeNames(cluster, placement),
    to: [],
    reason: null,
    groups: [],
    choice: null,
  };
}
