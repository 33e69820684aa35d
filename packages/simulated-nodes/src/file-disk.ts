/** Disks in files of a node's own file system. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { type DiskKind, simpleStatus } from "./disk-kind.js";
import type { HostState } from "./node-state.js";
import { NodeFault } from "./site.js";

const pathOf = ({ logical_id }: DiskOnNode): string => String(logical_id[1]);

/** MiB used by files, exports and everything else. */
function fileSystemUse({ fileSystem, exports, exportsUnderWay }: HostState): number {
  let usedMib = fileSystem.usedMib;
  for (const { sizeMib } of Object.values(fileSystem.disks)) usedMib += sizeMib;
  const exported = [
    ...Object.values(exports).map(({ files }) => files),
    ...Object.values(exportsUnderWay),
  ];
  for (const files of exported) {
    for (const sizeMib of Object.values(files)) usedMib += sizeMib;
  }
  return usedMib;
}

export const fileSystemFree = (host: HostState): number =>
  Math.max(0, host.fileSystem.sizeMib - fileSystemUse(host));

function existing(host: HostState, disk: DiskOnNode) {
  const file = host.fileSystem.disks[pathOf(disk)];
  if (file === undefined) throw new NodeFault(`${pathOf(disk)}: No such file`);
  return file;
}

export const fileDisk: DiskKind = {
  create({ host }, disk, { sizeMib, info }) {
    const path = pathOf(disk);
    const there = host.fileSystem.disks[path];
    if (there?.sizeMib === sizeMib) return null;
    if (there !== undefined) throw new NodeFault(`${path}: File exists`);
    const directory = path.slice(0, path.lastIndexOf("/"));
    if (!host.fileSystem.directories.includes(directory)) {
      throw new NodeFault(`${path}: can't create: [Errno 2] No such file or directory: '${path}'`);
    }
    checkRoom(host, path, sizeMib);
    host.fileSystem.disks[path] = { sizeMib, info };
    return null;
  },
  status: ({ host }, disk) => host.fileSystem.disks[pathOf(disk)] && simpleStatus(pathOf(disk)),
  remove({ host }, disk) {
    delete host.fileSystem.disks[pathOf(disk)];
  },
  assemble({ host }, disk) {
    existing(host, disk);
  },
  shutdown: () => {},
  open({ host }, disk) {
    existing(host, disk);
  },
  close: () => {},
  grow({ host }, disk, { amountMib, dryRun, backingStore }) {
    if (!backingStore) return;
    const file = existing(host, disk);
    checkRoom(host, pathOf(disk), amountMib);
    if (!dryRun) file.sizeMib += amountMib;
  },
  rename({ host }, disk, logicalId) {
    const file = host.fileSystem.disks[pathOf(disk)];
    if (file === undefined) return;
    delete host.fileSystem.disks[pathOf(disk)];
    host.fileSystem.disks[String(logicalId[1])] = file;
  },
  setInfo({ host }, disk, info) {
    existing(host, disk).info = info;
  },
  dimensions({ host }, disk) {
    const file = host.fileSystem.disks[pathOf(disk)];
    return file && { sizeMib: file.sizeMib, spindles: null };
  },
  path: (_, disk) => pathOf(disk),
};

function checkRoom(host: HostState, path: string, sizeMib: number): void {
  if (sizeMib > fileSystemFree(host)) {
    throw new NodeFault(`${path}: can't create: [Errno 28] No space left on device`);
  }
}
