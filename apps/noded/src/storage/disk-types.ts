/** Disk types of this node, and operations on disks together with their children. */
import { type DiskOnNode, diskText } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { adoptedDisks } from "./block-device.js";
import type { Device, DiskType } from "./disk-type.js";
import { drbdDisks } from "./drbd/drbd-disk.js";
import { extDisks } from "./ext/ext-disk.js";
import { fileDisks } from "./file-disk.js";
import { glusterDisks } from "./gluster-disk.js";
import { plainDisks } from "./lvm/plain-disk.js";
import { currentVolumes, type VolumeTable } from "./lvm/volume-table.js";
import { rbdDisks } from "./rbd-disk.js";

/** Implementations by `dev_type`. */
export type DiskTypes = (disk: Pick<DiskOnNode, "dev_type">) => DiskType;

/** `volumes`: the table of volumes, which callers that look up all disks in one request may share. */
export function diskTypes(
  context: NodeContext,
  volumes: VolumeTable = currentVolumes(context),
): DiskTypes {
  const files = fileDisks(context);
  const plain = plainDisks(context, volumes);
  const types: Readonly<Record<DiskOnNode["dev_type"], DiskType>> = {
    plain,
    drbd: drbdDisks(context, plain),
    file: files,
    sharedfile: files,
    gluster: glusterDisks(context),
    blockdev: adoptedDisks(context),
    rbd: rbdDisks(context),
    ext: extDisks(context),
  };
  return ({ dev_type }) => types[dev_type];
}

export const childrenOf = ({ children }: DiskOnNode): readonly DiskOnNode[] => children ?? [];

/** The device of a disk. Rejects with `Can't find device …` if it has none. */
export async function foundDevice(
  types: DiskTypes,
  disk: DiskOnNode,
  missing = "Can't find device",
): Promise<Device> {
  const device = await types(disk).find(disk);
  if (device === null) throw new NodeFailure(`${missing} ${diskText(disk)}`);
  return device;
}

/** Devices of all disks, looked up before any of them is changed. */
export async function foundDevices(
  types: DiskTypes,
  disks: readonly DiskOnNode[],
): Promise<readonly Device[]> {
  const devices: Device[] = [];
  for (const disk of disks) devices.push(await foundDevice(types, disk));
  return devices;
}

/** Refuses a disk without required parameters. */
export function checkParameters({ parameters }: DiskType, { params }: DiskOnNode): void {
  const missing = parameters.filter((name) => params?.[name] === undefined);
  if (missing.length > 0) {
    throw new Error(
      `Block device is missing disk parameters: {${missing.map((one) => `'${one}'`).join(", ")}}`,
    );
  }
}
