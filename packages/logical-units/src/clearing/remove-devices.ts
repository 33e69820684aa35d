/** Removal of claimed devices, of unfinished exports and of recreated disks from nodes. */

import { diskOnNode, livingDisk, type Snapshot } from "@ganeti-ts/config";
import type { ClaimedDisk, ClaimOf, DiskObject, NodeUuid, RealDisk } from "@ganeti-ts/protocol";
import { reportUnless } from "@ganeti-ts/protocol";
import { adoptedVolume, isNameGivenBack } from "../instance/disks/adopted.js";
import { diskOfFile, isInFolder, movedInPlace } from "../instance/disks/moved-files.js";
import { forthcomingDisk } from "../instance/plan/disks.js";
import { directoryOf } from "../instance/plan/places.js";
import { isStillNeeded } from "../instance/replacement/old-copies.js";
import { nodesOfDisk } from "../instance/running/activation.js";
import { ask } from "../unit/effects.js";
import type { Outcome, RecoveryPorts, Remaining } from "./replacing.js";

/** Devices, and the node that has them, or the primary side of those that are mirrors. */
interface Devices {
  readonly primary: NodeUuid;
  readonly disks: readonly (DiskObject & Marks)[];
}

type Marks = Pick<ClaimedDisk, "copyOf" | "fileOf">;

/**
 * Removes the devices. An adopted volume gets its name back if it has an owner. Undefined if a device could not be
 * removed.
 */
export async function removeDevices(
  ports: RecoveryPorts,
  { primary, disks }: Devices,
): Promise<readonly Remaining[] | undefined> {
  const remaining: Remaining[] = [];
  let isDone = true;
  for (const disk of disks) {
    if (disk.dev_type === undefined || disk.logical_id === undefined) continue;
    const outcomes = await removeDevice(ports, primary, disk as RealDisk);
    for (const [node, outcome] of outcomes) {
      if (outcome === "remains") remaining.push({ node, disk });
      isDone &&= outcome !== "failed";
    }
  }
  return isDone ? remaining : undefined;
}

async function removeDevice(
  ports: RecoveryPorts,
  primary: NodeUuid,
  claimed: RealDisk & Marks,
): Promise<readonly (readonly [NodeUuid, Outcome])[]> {
  const now = ports.config.snapshot;
  const holder = { primary_node: primary };
  const { copyOf, fileOf } = claimed;
  const disk = { ...forthcomingDisk(claimed, false), copyOf, fileOf };
  const outcomes: (readonly [NodeUuid, Outcome])[] = [];
  const adopted = adoptedVolume(now, claimed);
  const isSpared =
    adopted !== undefined && !(await isNameGivenBack(ports, now, holder, disk, adopted));
  const spared = isSpared ? now.node(primary) : undefined;
  if (spared !== undefined) outcomes.push([primary, spared.offline ? "remains" : "failed"]);
  // A claim holds only one side of a mirror.
  const nodes = nodesOfDisk(disk, primary).filter(
    (node: NodeUuid | null) =>
      node !== null && !(isSpared && node === primary) && now.node(node) !== undefined,
  );
  for (const node of nodes) {
    outcomes.push([node, await clearedFrom(ports, now, holder, disk, node)]);
  }
  return outcomes;
}

type Owner = Parameters<typeof diskOnNode>[1];

/** Removes the device, unless it has to stay or is a disk of an instance; moves a file that belongs to a disk. */
async function clearedFrom(
  ports: RecoveryPorts,
  now: Snapshot,
  holder: Owner & { readonly primary_node: NodeUuid },
  claimed: RealDisk & Marks,
  node: NodeUuid,
): Promise<Outcome> {
  const living = livingDisk(ports.config.snapshot, claimed, node);
  reportUnless(
    living === undefined,
    () => `recovery would remove ${claimed.logical_id.join("/")}, a volume of disk ${living?.uuid}`,
  );
  if (living !== undefined) return "failed";
  const disk = diskOfFile(now, claimed);
  if (disk !== undefined) {
    return movedInPlace(ports, now, holder, { file: claimed, disk, node });
  }
  const isNeeded = await isStillNeeded(ports, now, holder, claimed, node);
  return isNeeded ? "remains" : removeFrom(ports, now, holder, claimed, node);
}

/** Removes the disk with its children from the node; "remains": the node is offline. */
export async function removeFrom(
  ports: RecoveryPorts,
  now: Snapshot,
  holder: Owner,
  disk: RealDisk,
  node: NodeUuid,
): Promise<Outcome> {
  for (const part of [disk, ...disk.children]) {
    const device = { disk: diskOnNode(now, holder, part) };
    const answer = await ask(ports, node, "blockdev_remove", device);
    if (!answer.ok) return answer.offline ? "remains" : "failed";
  }
  // The folder stays while it contains other disks.
  if (isInFolder(disk)) {
    await ask(ports, node, "file_storage_dir_remove", { directory: directoryOf(disk) });
  }
  return "gone";
}

/** An export under way has a folder of its own until it is finished. */
export async function isExportGone(
  ports: RecoveryPorts,
  now: Snapshot,
  { node, instanceName }: ClaimOf<"export">,
): Promise<boolean> {
  if (now.node(node) === undefined) return true;
  const folder = `${instanceName}.new`;
  if ((await ask(ports, node, "export_remove", { name: folder })).ok) return true;
  // Nodes of Ganeti refuse to remove a folder that is gone, and to list exports before there was one.
  const exports = await ask(ports, node, "export_list", {});
  return exports.ok ? !exports.value.includes(folder) : exports.message === "No exports directory";
}

/**
 * Disks that did not exist before the job and stay with the instance. Active ones have been put to
 * use since.
 */
export async function areRecreatedGone(
  ports: RecoveryPorts,
  now: Snapshot,
  claim: ClaimOf<"recreation">,
): Promise<boolean> {
  for (const uuid of claim.disks) {
    const disk = now.disk(uuid);
    const owner = now.instanceOfDisk(uuid);
    if (disk === undefined || disk.forthcoming) continue;
    if (owner === undefined || owner.forthcoming || owner.disks_active) continue;
    for (const node of nodesOfDisk(disk, owner.primary_node)) {
      if ((await removeFrom(ports, now, owner, disk, node)) !== "gone") return false;
    }
  }
  return true;
}
