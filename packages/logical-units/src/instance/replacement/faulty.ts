/** Disks of a mirrored instance that have lost their storage, and on which node. */

import { diskOnNode, realDisksOf } from "@ganeti-ts/config";
import type { NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrRefuse } from "../../unit/effects.js";
import { wrongState } from "../../unit/refusals.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import { areDisksActive, type Replacement } from "./replacement.js";

/**
 * No indices if no disk is faulty. @throws PrereqError if both nodes have faulty disks, or a node
 * does not answer
 */
export async function faultyReplacement(
  world: World,
  instance: RealInstance,
  secondary: NodeUuid,
): Promise<Pick<Replacement, "indices" | "target" | "other">> {
  await checkDisksActive(world, instance);
  const { primary_node: primary } = instance;
  const onPrimary = await faultyOn(world, instance, primary);
  const onSecondary = await faultyOn(world, instance, secondary);
  if (onPrimary.length > 0 && onSecondary.length > 0) {
    wrongState(
      `Instance ${instance.name} has faulty disks on more than one node and can not be repaired` +
        " automatically",
    );
  }
  return onPrimary.length > 0
    ? { indices: onPrimary, target: primary, other: secondary }
    : { indices: onSecondary, target: secondary, other: primary };
}

/** Indices of disks that have lost their storage there. @throws PrereqError */
export async function faultyOnPrimary(
  world: World,
  instance: RealInstance,
): Promise<readonly number[]> {
  await checkDisksActive(world, instance);
  return faultyOn(world, instance, instance.primary_node);
}

async function checkDisksActive(world: World, instance: RealInstance): Promise<void> {
  if (await areDisksActive(world, instance)) return;
  wrongState(`Please run activate-disks on instance ${instance.name} first`);
}

async function faultyOn(
  world: World,
  instance: RealInstance,
  node: NodeUuid,
): Promise<readonly number[]> {
  const now = world.config.snapshot;
  const disks = realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));
  const statuses = valueOrRefuse(
    await ask(world, node, "blockdev_getmirrorstatus", { disks }),
    `Failed to get disk status from node ${nodeName(now, node)}`,
  );
  return statuses.flatMap(({ localDisk }, at) => (localDisk === "faulty" ? [at] : []));
}
