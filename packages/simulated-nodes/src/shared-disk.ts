/** Disks shared by all nodes: in shared directories, rbd images, volumes of external providers. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { directoryOf, removeDirectory, storagePath } from "./directories.js";
import type { DiskKind } from "./disk-kind.js";
import type { StoredDisk } from "./node-state.js";
import { NodeFault } from "./site.js";
import { diskIn, type Store } from "./stored-disk.js";

const keyOf = ({ dev_type, logical_id }: DiskOnNode): string =>
  `${dev_type} ${logical_id.join(" ")}`;

function pathOf({ dev_type, logical_id }: DiskOnNode): string {
  const isDevice = dev_type === "rbd" || dev_type === "ext";
  return isDevice ? ["/dev", dev_type, ...logical_id].join("/") : String(logical_id[1]);
}

const disks: Store["disks"] = ({ shared }) => shared.disks;

export const sharedDisk = diskIn({ disks, key: keyOf, path: pathOf });

const file = diskIn({
  disks,
  key(disk) {
    storagePath(pathOf(disk));
    return keyOf(disk);
  },
  path: pathOf,
});

/** Disks in files of a directory that all nodes have mounted: no node has it as one of its own. */
export const sharedFile: DiskKind = {
  ...file,
  create(site, disk, args) {
    removeDirectory(site, directoryOf(pathOf(disk)));
    return file.create(site, disk, args);
  },
};

/** Volumes of external providers. */
export const extDisk: DiskKind = {
  ...sharedDisk,
  // As on a real node: providers have no script for it.
  rename: () => {},
  snapshot({ shared: { disks } }, disk, logicalId, sizeMib) {
    const there = disks[keyOf(disk)] as StoredDisk;
    const snapshot = { ...there, sizeMib: sizeMib ?? there.sizeMib };
    disks[keyOf({ ...disk, logical_id: logicalId })] = snapshot;
  },
};

const devicePath = ({ logical_id }: DiskOnNode): string => String(logical_id[1]);

const device = diskIn({
  disks: ({ host, shared }) =>
    Object.fromEntries(
      Object.entries(host.devices).map(([path, sizeMib]) => [
        path,
        { sizeMib, info: "", image: shared.devices?.[path] },
      ]),
    ),
  key: devicePath,
  path: devicePath,
});

/** Existing devices that the cluster uses and does not create; those of one path are the same on all nodes. */
export const adoptedDisk: DiskKind = {
  ...device,
  create: (site, disk) => device.open(site, disk),
  remove: () => {},
  grow: () => {
    throw new NodeFault("Grow is not supported for PersistentBlockDev storage");
  },
  rename: () => {
    throw new NodeFault("Rename is not supported for PersistentBlockDev storage");
  },
  write({ host, shared }, disk, image) {
    const path = devicePath(disk);
    if (path in host.devices) shared.devices = { ...shared.devices, [path]: image };
  },
};
