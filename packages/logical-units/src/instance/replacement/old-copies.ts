/**
 * Old copies of mirrored disks: claimed from before they are replaced until the new copy is
 * complete.
 */

import { diskOnNode, type Snapshot } from "@ganeti-ts/config";
import type {
  ClaimedDisk,
  ClaimOf,
  DiskUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { claimOfRemoval } from "../../capacity/claim.js";
import { ask } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { onlyOn } from "../plan/places.js";

/** Devices of an old copy: one side of the mirror, or volumes detached from it. */
export interface OldCopy {
  readonly disk: RealDisk;
  readonly devices: readonly (Pick<RealDisk, "dev_type" | "logical_id" | "size"> & {
    readonly children?: RealDisk["children"] | undefined;
  })[];
}

/** Recovery removes the copies once the disks are complete without them. */
export const claimOfOldCopies = (
  context: Pick<UnitContext, "now" | "config" | "jobId">,
  node: NodeUuid,
  copies: readonly OldCopy[],
): ClaimOf<"removal"> =>
  claimOfRemoval(
    context,
    node,
    copies.flatMap(({ disk, devices }) =>
      devices.map((device) => onlyOn(node, { ...device, nodes: [node], copyOf: disk.uuid })),
    ),
  );

type Caller = Parameters<typeof ask>[0];

/**
 * Whether the device is an old copy that exists and must be kept because the present copies of its
 * disk are not known to be complete on both nodes. A copy of a disk that no longer exists or is no
 * longer mirrored is not needed.
 */
export async function isStillNeeded(
  caller: Caller,
  now: Snapshot,
  holder: Pick<RealInstance, "primary_node">,
  device: RealDisk & Pick<ClaimedDisk, "copyOf">,
  node: NodeUuid,
): Promise<boolean> {
  const { copyOf: uuid } = device;
  if (uuid === undefined || (await isWhole(caller, now, uuid))) return false;
  const volumes = device.children.length > 0 ? device.children : [device];
  for (const volume of volumes) {
    const disk = diskOnNode(now, holder, volume);
    const found = await ask(caller, node, "blockdev_find", { disk });
    if (!found.ok || found.value !== null) return true;
  }
  return false;
}

async function isWhole(caller: Caller, now: Snapshot, uuid: DiskUuid): Promise<boolean> {
  const disk = now.disk(uuid);
  const [owner] = disk === undefined ? [] : [now.instanceOfDisk(uuid)].flat();
  if (disk === undefined || disk.forthcoming || disk.dev_type !== "drbd") return true;
  if (owner === undefined || owner.forthcoming) return true;
  for (const node of disk.nodes) {
    const found = await ask(caller, node, "blockdev_find", {
      disk: diskOnNode(now, owner, disk),
    });
    if (!found.ok || found.value === null) return false;
    const { degraded, syncPercent, localDisk } = found.value;
    if (degraded || syncPercent !== null || localDisk !== "ok") return false;
  }
  return true;
}
