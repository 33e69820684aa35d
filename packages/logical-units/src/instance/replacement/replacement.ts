/** Replacement of disks of a mirrored instance: which disks, and on which node. */
import type { Snapshot } from "@ganeti-ts/config";
import { diskOnNode, nodesOfInstance, realDisksOf, secondaryNodes } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { InstanceObject, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask, info, valueOrFail, warn } from "../../unit/effects.js";
import { groupLock, nodeLock, nodeResourceLock } from "../../unit/locks.js";
import type { World } from "../../unit/unit.js";
import { isDiskConsistent } from "../disks/disk-consistency.js";
import { nodeName } from "../state.js";

export interface Replacement {
  readonly instance: RealInstance;
  /** Indices of the disks. */
  readonly indices: readonly number[];
  /** The node whose storage is replaced; with a new node, the old secondary. */
  readonly target: NodeUuid;
  /** The node with the good data. */
  readonly other: NodeUuid;
  /** The new secondary. */
  readonly newNode?: NodeUuid | undefined;
  /** Old storage is removed before the new one is synchronised. */
  readonly earlyRelease: boolean;
}

export const stepsTotal = 6;

/** The only other node of the mirrors. @throws PrereqError if there is none, or several */
export function onlySecondary(now: Snapshot, instance: InstanceObject): NodeUuid {
  const secondaries = secondaryNodes(now, instance);
  const [only, ...others] = secondaries;
  if (only !== undefined && others.length === 0) return only;
  throw new PrereqError(
    "internal_error",
    `The instance has a strange layout, expected one secondary but found ${secondaries.length}`,
  );
}

/** Releases the locks of groups and nodes that were taken only for the allocator. */
export async function releaseUntouched(world: World, replacement: Replacement): Promise<void> {
  const { instance, target, other, newNode } = replacement;
  const now = world.config.snapshot;
  const groups = new Set(nodesOfInstance(now, instance).map((node) => now.node(node)?.group));
  const touched = new Set([target, other, newNode]);
  const members = [...groups].flatMap((group) =>
    group === undefined ? [] : now.nodesOfGroup(group),
  );
  const others = members.filter(({ uuid }) => !touched.has(uuid));
  await world.release([
    ...[...groups].flatMap((group) => (group === undefined ? [] : groupLock(group))),
    ...others.flatMap(({ uuid }) => [nodeLock(uuid), nodeResourceLock(uuid)]),
  ]);
}

export const replacedDisks = (
  world: World,
  { instance, indices }: Replacement,
): readonly (readonly [number, RealDisk])[] =>
  [...realDisksOf(world.config.snapshot, instance).entries()].filter(([at]) =>
    indices.includes(at),
  );

const find = (world: World, instance: RealInstance, disk: RealDisk, node: NodeUuid) =>
  ask(world, node, "blockdev_find", {
    disk: diskOnNode(world.config.snapshot, instance, disk),
  });

/** Whether all disks are active on all online nodes. */
export async function areDisksActive(world: World, instance: RealInstance): Promise<boolean> {
  const now = world.config.snapshot;
  for (const [at, disk] of realDisksOf(now, instance).entries()) {
    for (const node of nodesOfInstance(now, instance)) {
      info(world, `Checking disk/${at} on ${nodeName(now, node)}`);
      const answer = await find(world, instance, disk, node);
      if (!answer.ok && answer.offline) continue;
      if (!answer.ok || answer.value === null) return false;
    }
  }
  return true;
}

/** @throws ExecError */
export async function checkExistence(
  world: World,
  replacement: Replacement,
  nodes: readonly NodeUuid[],
): Promise<void> {
  const { instance } = replacement;
  const nameOf = (node: NodeUuid) => nodeName(world.config.snapshot, node);
  for (const [at, disk] of replacedDisks(world, replacement)) {
    for (const node of nodes) {
      info(world, `Checking disk/${at} on ${nameOf(node)}`);
      const answer = await find(world, instance, disk, node);
      if (answer.ok && answer.value !== null) continue;
      const why = answer.ok ? "disk not found" : answer.message;
      const hint = (await areDisksActive(world, instance))
        ? ""
        : "\nDisks seem to be not properly activated. Try running activate-disks on the instance" +
          " before using replace-disks.";
      throw new ExecError(`Can't find disk/${at} on node ${nameOf(node)}: ${why}${hint}`);
    }
  }
}

/** Checks that these nodes have the cluster's volume group. @throws ExecError */
export async function checkVolumeGroup(world: World, nodes: readonly NodeUuid[]): Promise<void> {
  info(world, "Checking volume groups");
  const now = world.config.snapshot;
  const group = now.cluster.volume_group_name ?? "";
  for (const node of nodes) {
    const groups = valueOrFail(
      await ask(world, node, "vg_list", {}),
      `Error checking node ${nodeName(now, node)}`,
    );
    if (group in groups) continue;
    throw new ExecError(`Volume group '${group}' not found on node ${nodeName(now, node)}`);
  }
}

/** @throws ExecError */
export async function checkConsistency(
  world: World,
  replacement: Replacement,
  where: { readonly node: NodeUuid; readonly isPrimary: boolean; readonly ownCopy?: boolean },
): Promise<void> {
  const name = nodeName(world.config.snapshot, where.node);
  const { instance } = replacement;
  for (const [at, disk] of replacedDisks(world, replacement)) {
    info(world, `Checking disk/${at} consistency on node ${name}`);
    if (await isDiskConsistent(world, instance, disk, where)) continue;
    throw new ExecError(
      `Node ${name} has degraded storage, unsafe to replace disks for instance ${instance.name}`,
    );
  }
}

/** Storage that is no longer used, with its name in the log. */
export interface OldStorage {
  readonly label: string;
  readonly disk: RealDisk;
  readonly volumes: RealDisk["children"];
}

/** Checks on the primary that the replaced disks are complete. @throws ExecError */
export async function checkReplaced(
  world: World,
  { instance }: Replacement,
  replaced: readonly OldStorage[],
): Promise<void> {
  for (const { label, disk } of replaced) {
    const current = world.config.snapshot.disk(disk.uuid) as RealDisk;
    const answer = await find(world, instance, current, instance.primary_node);
    if (!answer.ok || answer.value === null) {
      const why = answer.ok ? "disk not found" : answer.message;
      throw new ExecError(`Can't find DRBD device ${label}: ${why}`);
    }
    if (answer.value.degraded) throw new ExecError(`DRBD device ${label} is degraded!`);
  }
}

/** Whether everything was removed; recovery removes the rest. */
export async function removeOldStorage(
  world: World,
  { instance, target }: Replacement,
  replaced: readonly OldStorage[],
): Promise<boolean> {
  const now = world.config.snapshot;
  let isGone = true;
  for (const { label, volumes } of replaced) {
    info(world, `Remove logical volumes for ${label}`);
    for (const volume of volumes) {
      const answer = await ask(world, target, "blockdev_remove", {
        disk: diskOnNode(now, instance, volume),
      });
      if (answer.ok) continue;
      isGone = false;
      warn(world, `Can't remove old LV: ${answer.message}`, "remove unused LVs manually");
    }
  }
  return isGone;
}
