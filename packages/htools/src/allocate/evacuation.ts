/**
 * Evacuation of instances, within their group or to another one. Source: Ganeti, HTools/Cluster/Evacuate.hs
 * and `tryChangeGroup`.
 */
import { type EvacuationMode, isMirrored } from "@ganeti-ts/protocol";
import { moveToBest, refusalText } from "../fit/best-target.js";
import { misfitNames } from "../fit/misfit.js";
import { failover, moveTo, type Placement, placementOf, replaceSecondary } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import { keepingMargins } from "../n1/emptying-margins.js";
import type { InParts } from "../parts.js";
import { ScoreBoard } from "../score/score-board.js";
import { noGroupsText } from "../text/haskell-text.js";
import { allocateAnywhere } from "./allocate.js";
import { placeNames } from "./allocation.js";
import { moveOpcode, type Opcode, replaceSecondaryOpcode } from "./evacuation-job.js";
import { movePair } from "./pair-move.js";
import {
  type Done,
  failure,
  type RequestOptions,
  type Result,
  success,
} from "./request-options.js";

export interface Evacuation {
  readonly moved: readonly {
    readonly index: number;
    /** Group of the new primary. */
    readonly group: number;
    readonly nodes: Placement;
    readonly job: readonly Opcode[];
  }[];
  readonly failed: readonly { readonly index: number; readonly reason: string }[];
}

/** An instance that must leave its nodes, as its mode says. */
export interface Moving {
  readonly instance: Instance;
  readonly placement: Placement;
  readonly mode: EvacuationMode;
  /** Group whose nodes are scored. */
  readonly group: number;
  readonly targets: readonly number[];
  /** Skips the soft checks. */
  readonly force: boolean;
}

export interface Relocated {
  readonly placement: Placement;
  readonly job: readonly Opcode[];
}

/**
 * Moves instances off their nodes (the nodes of all listed instances, as the mode says), within their group.
 */
export function evacuate(
  cluster: Cluster,
  indices: readonly number[],
  mode: EvacuationMode,
  { ignoreSoftErrors }: RequestOptions,
): InParts<Evacuation> {
  const { offline, groupOf } = cluster.facts;
  const left = nodesLeft(cluster, indices, mode);
  return moveEach(cluster, indices, (instance, placement) => {
    const group = groupOf[placement.primary] as number;
    const targets = (cluster.nodesByGroup[group] as readonly number[]).filter(
      (node) => offline[node] === 0 && !left.has(node) && node !== placement.primary,
    );
    const force = ignoreSoftErrors;
    return moveInstance(cluster, { instance, placement, mode, group, targets, force });
  });
}

/**
 * Moves instances to the best of the target groups, chosen as for a new instance in the current state; the
 * nodes are then chosen in a separate search. Soft errors are ignored only while choosing the group.
 *
 * @param targetGroups empty: any group; groups that instances are leaving are never targets
 */
export function changeGroup(
  cluster: Cluster,
  indices: readonly number[],
  targetGroups: readonly number[],
  options: RequestOptions,
): InParts<Evacuation> {
  const { offline, groupOf } = cluster.facts;
  const left = new Set(indices.map((index) => groupOf[cluster.primaryOf[index] as number]));
  const wanted =
    targetGroups.length > 0 ? targetGroups : cluster.data.groups.map((_, group) => group);
  const allowed = wanted.filter((group) => !left.has(group));
  return moveEach(cluster, indices, (instance, placement) => {
    const mirrored = isMirrored(instance.data.diskTemplate);
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
    const moving: Moving = { instance, placement, mode: "all", group, targets, force: false };
    return moveInstance(cluster, moving);
  });
}

/** Moves each instance from its initial nodes, so an instance listed twice is moved twice from there. */
function* moveEach(
  cluster: Cluster,
  indices: readonly number[],
  move: (instance: Instance, placement: Placement) => Result<Relocated>,
): InParts<Evacuation> {
  const moved: Evacuation["moved"][number][] = [];
  const failed: Evacuation["failed"][number][] = [];
  const placements = indices.map((index) => placementOf(cluster, index));
  for (const [i, index] of indices.entries()) {
    yield;
    const from = placements[i] as Placement;
    const before = placementOf(cluster, index);
    const outcome = move(cluster.instanceAt(index), from);
    if (!outcome.ok) {
      failed.push({ index, reason: outcome.reason });
      continue;
    }
    const { placement, job } = outcome.value;
    keepingMargins(cluster, () => {
      cluster.settle();
      const { primary, secondary, locationScore } = placement;
      cluster.relocateEntry(index, primary, secondary, locationScore);
      return [before.primary, before.secondary, from.primary, from.secondary, primary, secondary];
    });
    const group = cluster.facts.groupOf[placement.primary] as number;
    moved.push({ index, group, nodes: placement, job });
  }
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
    const template = cluster.instanceAt(index).data.diskTemplate;
    if (mode !== "secondary-only") left.add(primary);
    if (mode !== "primary-only" && isMirrored(template)) left.add(secondary);
  }
  return left;
}

/** Moves an instance to the best of its targets, and returns the opcodes for the move. */
export function moveInstance(cluster: Cluster, moving: Moving): Result<Relocated> {
  const { instance, placement, mode, group, targets, force } = moving;
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
    const moved = movePair(cluster, moving, scored);
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

/** The answer to a request that moves several instances. */
export function evacuationDone(cluster: Cluster, { moved, failed }: Evacuation): Done {
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
