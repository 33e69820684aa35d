/** Disks in files of a node's own file system. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { directoryOf, storagePath } from "./directories.js";
import type { DiskKind } from "./disk-kind.js";
import type { HostState } from "./node-state.js";
import { NodeFault } from "./site.js";
import { diskIn } from "./stored-disk.js";

const pathOf = ({ logical_id }: DiskOnNode): string => storagePath(String(logical_id[1]));

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

const file = diskIn({ disks: ({ host }) => host.fileSystem.disks, key: pathOf, path: pathOf });

export const fileDisk: DiskKind = {
  ...file,
  create(site, disk, args) {
    const { host } = site;
    const path = pathOf(disk);
    if (file.status(site, disk) === undefined) {
      if (!host.fileSystem.directories.includes(directoryOf(path))) {
        throw new NodeFault(
          `${path}: can't create: [Errno 2] No such file or directory: '${path}'`,
        );
      }
      checkRoom(host, path, args.sizeMib);
    }
    return file.create(site, disk, args);
  },
  grow(site, disk, args) {
    const presentMib = file.dimensions(site, disk)?.sizeMib ?? 0;
    const missingMib = disk.size + args.amountMib - presentMib;
    if (args.backingStore) checkRoom(site.host, pathOf(disk), missingMib);
    file.grow(site, disk, args);
  },
};

function checkRoom(host: HostState, path: string, sizeMib: number): void {
  if (sizeMib > fileSystemFree(host)) {
    throw new NodeFault(`${path}: can't create: [Errno 28] No space left on device`);
  }
}
