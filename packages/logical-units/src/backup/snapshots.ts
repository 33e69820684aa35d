/** Snapshots of an instance's disks, which are exported while the instance runs on. */

import { diskOnNode, realDisksOf } from "@ganeti-ts/config";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { type Claim, diskCan, type RealDisk, type RealInstance } from "@ganeti-ts/protocol";
import { checkUnclaimed, claimOfRemoval } from "../capacity/claim.js";
import { nodeName } from "../instance/state.js";
import { ask, warn } from "../unit/effects.js";
import type { UnitContext } from "../unit/unit.js";

/**
 * Snapshots of all disks, in their order. If one fails, the others are removed and the result is
 * undefined.
 */
export async function takeSnapshots(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
): Promise<readonly DiskOnNode[] | undefined> {
  if (!disks.every(({ dev_type }) => diskCan(dev_type, "snapshot"))) return undefined;
  const node = nodeName(context.now, instance.primary_node);
  const taken: (DiskOnNode | undefined)[] = [];
  for (const [index, disk] of disks.entries()) {
    context.log(`Creating a snapshot of disk/${index} on node ${node}`);
    const sent = diskOnNode(context.now, instance, disk);
    const answer = await ask(context, instance.primary_node, "blockdev_snapshot", {
      disk: sent,
      name: null,
      sizeMib: null,
    });
    if (!answer.ok) {
      warn(context, `Could not snapshot disk/${index} on node ${node}: ${answer.message}`);
    }
    taken.push(answer.ok ? snapshotOf(sent, answer.value) : undefined);
  }
  const complete = taken.flatMap((snapshot) => snapshot ?? []);
  if (complete.length === disks.length) return complete;
  await removeSnapshots(context, instance, taken);
  return undefined;
}

const snapshotOf = (disk: DiskOnNode, logicalId: DiskOnNode["logical_id"]): DiskOnNode => ({
  ...disk,
  dev_type: disk.dev_type === "ext" ? "ext" : "plain",
  logical_id: logicalId,
  children: [],
});

/**
 * A claim on the snapshots about to be taken, under the names that nodes give them. @throws
 * PrereqError `temp_insufficient_resources` while snapshots of a dead job still exist
 */
export function claimOfSnapshots(context: UnitContext, instance: RealInstance): Claim {
  const { primary_node: node } = instance;
  const snapshots = realDisksOf(context.now, instance).flatMap((disk) => {
    if (!diskCan(disk.dev_type, "snapshot")) return [];
    const { dev_type, logical_id } = (disk.children[0] as RealDisk | undefined) ?? disk;
    const [place = null, name] = logical_id;
    return [{ dev_type, logical_id: [place, `${name}.snap`], size: 0, nodes: [node] }];
  });
  checkUnclaimed(context.now, node, snapshots);
  return claimOfRemoval(context, node, snapshots);
}

/** Removes the snapshots that exist. Returns whether all are gone. */
export async function removeSnapshots(
  context: UnitContext,
  instance: RealInstance,
  snapshots: readonly (DiskOnNode | undefined)[],
): Promise<boolean> {
  let areGone = true;
  const node = nodeName(context.now, instance.primary_node);
  for (const [index, disk] of snapshots.entries()) {
    if (disk === undefined) continue;
    context.log(`Removing snapshot of disk/${index} on node ${node}`);
    const answer = await ask(context, instance.primary_node, "blockdev_remove", { disk });
    if (!answer.ok) {
      areGone = false;
      const text = `Could not remove snapshot for disk/${index} from node ${node}`;
      warn(context, `${text}: ${answer.message}`);
    }
  }
  return areGone;
}
