/** Disks shared by all nodes: in shared directories, rbd images, volumes of external providers. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { type DiskKind, simpleStatus } from "./disk-kind.js";
import { NodeFault, type Site } from "./site.js";

const keyOf = ({ dev_type, logical_id }: DiskOnNode, id = logical_id): string =>
  `${dev_type} ${id.join(" ")}`;

function pathOf({ dev_type, logical_id }: DiskOnNode): string {
  const [first, second] = logical_id;
  switch (dev_type) {
    case "rbd":
      return `/dev/rbd/${first}/${second}`;
    case "ext":
      return `/dev/ext/${first}/${second}`;
    default:
      return String(second);
  }
}

function existing({ shared }: Site, disk: DiskOnNode) {
  const there = shared.disks[keyOf(disk)];
  if (there === undefined) throw new NodeFault(`${pathOf(disk)}: No such file`);
  return there;
}

export const sharedDisk: DiskKind = {
  create({ shared }, disk, { sizeMib, info }) {
    const there = shared.disks[keyOf(disk)];
    if (there?.sizeMib === sizeMib) return null;
    if (there !== undefined) throw new NodeFault(`${pathOf(disk)}: File exists`);
    shared.disks[keyOf(disk)] = { sizeMib, info };
    return null;
  },
  status: ({ shared }, disk) => shared.disks[keyOf(disk)] && simpleStatus(pathOf(disk)),
  remove({ shared }, disk) {
    delete shared.disks[keyOf(disk)];
  },
  assemble: (site, disk) => {
    existing(site, disk);
  },
  shutdown: () => {},
  open: (site, disk) => {
    existing(site, disk);
  },
  close: () => {},
  grow(site, disk, { amountMib, dryRun, backingStore }) {
    const there = existing(site, disk);
    if (backingStore && !dryRun) there.sizeMib += amountMib;
  },
  rename({ shared }, disk, logicalId) {
    const there = shared.disks[keyOf(disk)];
    if (there === undefined) return;
    delete shared.disks[keyOf(disk)];
    shared.disks[keyOf(disk, logicalId)] = there;
  },
  setInfo(site, disk, info) {
    existing(site, disk).info = info;
  },
  dimensions({ shared }, disk) {
    const there = shared.disks[keyOf(disk)];
    return there && { sizeMib: there.sizeMib, spindles: null };
  },
  path: (_, disk) => pathOf(disk),
};

/** Existing devices that the cluster uses and does not create. */
export const adoptedDisk: DiskKind = {
  create({ host }, disk) {
    present(host.devices, disk);
    return null;
  },
  status: ({ host }, disk) =>
    String(disk.logical_id[1]) in host.devices
      ? simpleStatus(String(disk.logical_id[1]))
      : undefined,
  remove: () => {},
  assemble: ({ host }, disk) => present(host.devices, disk),
  shutdown: () => {},
  open: ({ host }, disk) => present(host.devices, disk),
  close: () => {},
  grow: () => {
    throw new NodeFault("Grow is not supported for PersistentBlockDev storage");
  },
  rename: () => {
    throw new NodeFault("Rename is not supported for PersistentBlockDev storage");
  },
  setInfo: () => {},
  dimensions({ host }, disk) {
    const sizeMib = host.devices[String(disk.logical_id[1])];
    return sizeMib === undefined ? undefined : { sizeMib, spindles: null };
  },
  path: (_, disk) => String(disk.logical_id[1]),
};

function present(devices: Readonly<Record<string, number>>, { logical_id }: DiskOnNode): void {
  const path = String(logical_id[1]);
  if (!(path in devices)) throw new NodeFault(`Can't find block device '${path}'`);
}
