/** Removal of unfinished exports and of recreated disks from nodes. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ClaimOf } from "@ganeti-ts/protocol";
import { nodesOfDisk } from "../instance/disks/activation.js";
import { ask } from "../unit/effects.js";
import { removeFrom } from "./remove-devices.js";
import type { RecoveryPorts } from "./replacing.js";

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
