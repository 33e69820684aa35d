/**
 * Moving instances off their nodes, within a group or to another one.
 * Source: Ganeti, HTools/Cluster/Evacuate.hs and `tryChangeGroup`.
 */
import type { EvacuationMode } from "@ganeti-ts/protocol";
import { moveToBest, refusalText } from "../fit/best-target.js";
import { misfitNames } from "../fit/misfit.js";
import { failover, moveTo, type Placement, placementOf, replaceSecondary } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import { ScoreBoard } from "../score/score-board.js";
import { noGroupsText } from "../text/haskell-text.js";
import { allocateAnywhere } from "./allocate.js";
import { moveOpcode, type Opcode, replaceSecondaryOpcode } from "./evacuation-job.js";
import { movePair } from "./pair-move.js";
import { failure, type RequestOptions, type Result, success } from "./request-options.js";

export interface Evacuation {
  readonly moved: readonly {
    readonly index: number;
    /** Of the new primary. */
    readonly group: number;
    readonly nodes: Placement;
    readonly job: readonly Opcode[];
  }[];
  readonly failed: readonly { readonly index: number; readonly reason: string }[];
}

export interface Relocated {
  readonly placement: Placement;
  readonly job: readonly Opcode[];
}

/** Off the nodes they are on (all listed instances' nodes together, as the mode says), within their group. */
export function evacuate(
  cluster: Cluster,
  indices: readonly number[],
  mode: EvacuationMode,
  { ignoreSoftErrors }: RequestOptions,
): Evacuation {
  const { offline, groupOf } = cluster.facts;
  const left = nodesLeft(cluster, indices, mode);
  return moveEach(cluster, indices, (instance, placement) => {
    const group = groupOf[placement.primary] as number;
    const targets = (cluster.nodesByGroup[group] as readonly number[]).filter(
      (node) => offline[node] === 0 && !left.has(node) && node !== placement.primary,
    );
    return moveInstance(cluster, instance, placement, mode, group, targets, ignoreSoftErrors);
  });
}

/**
 * To the best of the target groups, chosen as for a new instance on top of the current state;
 * the nodes are then chosen anew. Soft errors are ignored in choosing the group only.
 *
 * @param targetGroups empty: any group; groups that instances are leaving never count
 */
export function changeGroup(
  cluster: Cluster,
  indices: readonly number[],
  targetGroups: readonly number[],
  options: RequestOptions,
): Evacuation {
  const { offline, groupOf } = cluster.facts;
  const left = new Set(indices.map((index) => groupOf[cluster.primaryOf[index] as number]));
  const wanted =
    targetGroups.length > 0 ? targetGroups : cluster.data.groups.map((_, group) => group);
  const allowed = wanted.filter((group) => !left.has(group));
  return moveEach(cluster, indices, (instance, placement) => {
    const mirrored = mirroring(instance.data.diskTemplate) === "internal";
    const order = {
      instance,
      requiredNodes: mirrored ? 2 : 1,
      locationScore: placement.locationScore,
    };
    if (!allowed.some((group) => (cluster.nodesByGroup[group] ?? []).length > 0)) {
      return failure(noGroupsText(cluster, allowed));
    }
    const found = allocateAnywhere(cluster, order, options, allowed);
    if (!found.ok) return found;
    const { group } = found.value;
    const targets = (cluster.nodesByGroup[group] as readonly number[]).filter(
      (node) => offline[node] === 0,
    );
    return moveInstance(cluster, instance, placement, "all", group, targets, false);
  });
}

/** Each from where it was at first, so one listed twice is moved twice from there. */
function moveEach(
  cluster: Cluster,
  indices: readonly number[],
  move: (instance: Instance, placement: Placement) => Result<Relocated>,
): Evacuation {
  const moved: Evacuation["moved"][number][] = [];
  const failed: Evacuation["failed"][number][] = [];
  const placements = indices.map((index) => placementOf(cluster, index));
  indices.forEach((index, i) => {
    const outcome = move(cluster.instances[index] as Instance, placements[i] as Placement);
    if (!outcome.ok) {
      failed.push({ index, reason: outcome.reason });
      return;
    }
    const { placement, job } = outcome.value;
    cluster.settle();
    cluster.relocateEntry(index, placement.primary, placement.secondary, placement.locationScore);
    const group = cluster.facts.groupOf[placement.primary] as number;
    moved.push({ index, group, nodes: placement, job });
  });
  return { moved, failed };
}

export function nodesLeft(
  cluster: Cluster,
  indices: readonly number[],
  mode: EvacuationMode,
): Set<number> {
  const left = new Set<number>();
  for (const index of indices) {
    const { primary, secondary } = placementOf(cluster, index);
    const template = (cluster.instances[index] as Instance).data.diskTemplate;
    if (mode !== "secondary-only") left.add(primary);
    if (mode !== "primary-only" && mirroring(template) === "internal") left.add(secondary);
  }
  return left;
}

/** @param group whose nodes are scored */
export function moveInstance(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  mode: EvacuationMode,
  group: number,
  targets: readonly number[],
  force: boolean,
): Result<Relocated> {
  const { name, diskTemplate } = instance.data;
  const nodeName = (node: number) => cluster.data.nodes[node]?.name as string;
  const scored = cluster.nodesByGroup[group] as readonly number[];
  const mirrored = mirroring(diskTemplate);
  if (mirrored === "none") {
    return failure(`Instances of type ${diskTemplate} cannot be relocated`);
  }
  if (mirrored === "internal" && mode === "primary-only") {
    const moved = failover(cluster, instance, placement, force);
    if (!moved.ok) return failure(misfitNames[moved.misfit] as string);
    return success({ placement: moved.placement, job: [moveOpcode(name, instance.forthcoming)] });
  }
  if (mirrored === "internal" && mode === "all") {
    const moved = movePair(cluster, instance, placement, scored, targets, force);
    if (!moved.ok) {
      return failure(`Can't find any good nodes for relocation: ${moved.reason}`);
    }
    const flip = moveOpcode(name, instance.forthcoming);
    const job = [
      ...(cluster.facts.offline[placement.primary] === 1 ? [flip] : []),
      replaceSecondaryOpcode(name, nodeName(moved.value.primary)),
      flip,
      replaceSecondaryOpcode(name, nodeName(moved.value.secondary)),
    ];
    return success({ placement: moved.value, job });
  }
  if (mirrored === "external" && mode === "secondary-only") {
    return failure(`Instances with disk template '${diskTemplate}' can't execute change secondary`);
  }
  const internal = mirrored === "internal";
  const step = internal ? replaceSecondary : moveTo;
  const left = internal ? [placement.primary, placement.secondary] : [placement.primary];
  const board = new ScoreBoard(cluster, scored);
  const moved = moveToBest(cluster, board, targets, left, (target) =>
    step(cluster, instance, placement, target, force),
  );
  if (!moved.ok) {
    return failure(`Can't find any good node: ${refusalText(cluster, moved.refusals)}`);
  }
  const target = nodeName(moved.target);
  const opcode = internal
    ? replaceSecondaryOpcode(name, target)
    : moveOpcode(name, instance.forthcoming, target);
  return success({ placement: moved.placement, job: [opcode] });
}
