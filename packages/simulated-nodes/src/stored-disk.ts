/** Disks that are entries of a map: files of one node, and those that all nodes share. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { type DiskKind, simpleStatus } from "./disk-kind.js";
import type { StoredDisk } from "./node-state.js";
import { NodeFault, type Site } from "./site.js";

/** Place of disks: their map, and the keys and paths of those in it. */
export interface Store {
  disks(site: Site): { [key: string]: StoredDisk };
  key(disk: DiskOnNode): string;
  path(disk: DiskOnNode): string;
}

export function diskIn({ disks, key, path }: Store): DiskKind {
  const found = (site: Site, disk: DiskOnNode) => disks(site)[key(disk)];
  const existing = (site: Site, disk: DiskOnNode): StoredDisk => {
    const there = found(site, disk);
    if (there === undefined) throw new NodeFault(`${path(disk)}: No such file`);
    return there;
  };
  const check = (site: Site, disk: DiskOnNode) => void existing(site, disk);
  return {
    create(site, disk, { sizeMib, info }) {
      const there = found(site, disk);
      if (there?.sizeMib === sizeMib) return;
      if (there !== undefined) throw new NodeFault(`${path(disk)}: File exists`);
      disks(site)[key(disk)] = { sizeMib, info };
    },
    status: (site, disk) => found(site, disk) && simpleStatus(path(disk)),
    remove(site, disk) {
      delete disks(site)[key(disk)];
    },
    assemble: check,
    shutdown: () => {},
    open: check,
    close: () => {},
    grow(site, disk, { amountMib, dryRun, backingStore }) {
      const there = existing(site, disk);
      if (backingStore && !dryRun) there.sizeMib = Math.max(there.sizeMib, disk.size + amountMib);
    },
    rename(site, disk, logicalId) {
      const there = found(site, disk);
      if (there === undefined) return;
      delete disks(site)[key(disk)];
      disks(site)[key({ ...disk, logical_id: logicalId })] = there;
    },
    setInfo(site, disk, info) {
      existing(site, disk).info = info;
    },
    dimensions(site, disk) {
      const there = found(site, disk);
      return there && { sizeMib: there.sizeMib, spindles: null };
    },
    path: (_, disk) => path(disk),
    image: (site, disk) => found(site, disk)?.image,
    write(site, disk, image) {
      const there = found(site, disk);
      if (there !== undefined) there.image = image;
    },
  };
}
