/** storageSpace: free and total space of storage, for node_info. */
import type { StorageKey, StorageSpace } from "@ganeti-ts/node-calls";
import { bytesPerMib, roundHalfEven } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { exclusiveSpace } from "../lvm/exclusive-storage.js";
import { groupSpace, isAllocatable, physicalVolumes } from "../lvm/space.js";
import { fileSystemSpace } from "./directories.js";

/** Free and total space, in the order of `keys`. Rejects for types of storage that do not report their space. */
export async function storageSpace(
  context: NodeContext,
  keys: readonly StorageKey[],
): Promise<readonly StorageSpace[]> {
  const spaces: StorageSpace[] = [];
  for (const key of keys) spaces.push(await spaceOf(context, key));
  return spaces;
}

async function spaceOf(context: NodeContext, { type, key, exclusive }: StorageKey) {
  const unit = { type, name: key };
  if (type === "file") {
    const { sizeBytes, freeBytes } = await fileSystemSpace(key);
    const [size, free] = [Math.floor(sizeBytes / bytesPerMib), Math.floor(freeBytes / bytesPerMib)];
    return { ...unit, size, free };
  }
  if (type === "lvm-pv" || type === "lvm-vg") {
    if (exclusive === undefined) {
      // Ganeti's text [sic].
      throw new Error("No storage parameters for storage reporting is provided.");
    }
    return {
      ...unit,
      ...(await (type === "lvm-pv" ? spindles : groupFigures)(context, key, exclusive)),
    };
  }
  throw new Error(`Storage reporting for storage type '${type}' is not supported`);
}

/** Space in physical volumes (spindles), with exclusive storage. */
async function spindles(context: NodeContext, group: string, exclusive: boolean) {
  if (!exclusive) return { size: 0, free: 0 };
  const found = await physicalVolumes(context, [group], { onlyAllocatable: false });
  if (found === null) return { size: 0, free: 0 };
  return { size: found.length, free: exclusiveSpace(found).emptyCount };
}

/** Free space counts as far as new volumes can use it: not on closed physical volumes, and not while a device is missing. */
async function groupFigures(context: NodeContext, group: string, exclusive: boolean) {
  const space = await groupSpace(context, group);
  if (space === null) return { size: null, free: null };
  const size = roundHalfEven(space.sizeMib);
  if (space.isPartial) return { size, free: 0 };
  if (exclusive) {
    const found = await physicalVolumes(context, [group]);
    return { size, free: found === null ? null : exclusiveSpace(found).freeMib };
  }
  const all = await physicalVolumes(context, [group], { onlyAllocatable: false });
  const closed = (all ?? []).filter(({ attributes }) => !isAllocatable(attributes));
  const closedMib = closed.reduce((sum, { freeMib }) => sum + freeMib, 0);
  return { size, free: roundHalfEven(space.freeMib - closedMib) };
}
