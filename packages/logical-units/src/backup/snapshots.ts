/** Copies of an instance's disks at one moment, to be exported while it runs on. */
import type { Snapshot } from "@ganeti-ts/config";
import { diskOnNode } from "@ganeti-ts/config";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { nodeName } from "../instance/state.js";
import { ask } from "../unit/calls.js";
import { warn } from "../unit/feedback.js";
import type { World } from "../unit/unit.js";

const withSnapshots = new Set(["plain", "drbd", "ext"]);

/** Of all disks, in their order; undefined if that is not possible, and then there are none. */
export async function takeSnapshots(
  world: World,
  now: Snapshot,
  instance: RealInstance,
  disks: readonly RealDisk[],
): Promise<readonly DiskOnNode[] | undefined> {
  if (!disks.every(({ dev_type }) => withSnapshots.has(dev_type))) return undefined;
  const node = nodeName(now, instance.primary_node);
  const taken: (DiskOnNode | undefined)[] = [];
  for (const [index, disk] of disks.entries()) {
    world.log(`Creating a snapshot of disk/${index} on node ${node}`);
    const sent = diskOnNode(now, instance, disk);
    const answer = await ask(world, instance.primary_node, "blockdev_snapshot", {
      ...{ disk: sent, name: null, sizeMib: null },
    });
    if (!answer.ok) {
      warn(world, `Could not snapshot disk/${index} on node ${node}: ${answer.message}`);
    }
    taken.push(answer.ok ? snapshotOf(sent, answer.value) : undefined);
  }
  const complete = taken.flatMap((snapshot) => snapshot ?? []);
  if (complete.length === disks.length) return complete;
  await removeSnapshots(world, now, instance, taken);
  return undefined;
}

const snapshotOf = (disk: DiskOnNode, logicalId: DiskOnNode["logical_id"]): DiskOnNode => ({
  ...disk,
  dev_type: disk.dev_type === "ext" ? "ext" : "plain",
  logical_id: logicalId,
  children: [],
});

/** Whatever of them there is. */
export async function removeSnapshots(
  world: World,
  now: Snapshot,
  instance: RealInstance,
  snapshots: readonly (DiskOnNode | undefined)[],
): Promise<void> {
  const node = nodeName(now, instance.primary_node);
  for (const [index, disk] of snapshots.entries()) {
    if (disk === undefined) continue;
    world.log(`Removing snapshot of disk/${index} on node ${node}`);
    const answer = await ask(world, instance.primary_node, "blockdev_remove", { disk });
    if (!answer.ok) {
      const text = `Could not remove snapshot for disk/${index} from node ${node}`;
      warn(world, `${text}: ${answer.message}`);
    }
  }
}
