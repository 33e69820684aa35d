/** Calls about storage units and directories. */
import type { StorageCalls, StorageUnitField } from "@ganeti-ts/node-calls";
import {
  hasFiles,
  isDirectory,
  keysBelow,
  removeDirectory,
  renameDirectory,
  storagePath,
} from "./directories.js";
import { fileSystemFree } from "./file-disk.js";
import type { HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault } from "./site.js";
import { groupSpace, usedByPhysicalVolume } from "./volume-group.js";
import { setVolume } from "./volumes.js";

type Unit = Readonly<Record<StorageUnitField, string | number | boolean>>;

export const storageOperations: CallsOnHost<keyof StorageCalls> = {
  storage_list({ host }, { type, directories, name, fields }) {
    const units = unitsOf(host, type, directories).filter(
      (unit) => name === null || unit.name === name,
    );
    return units.map((unit) => fields.map((field) => unit[field]));
  },
  storage_modify({ host }, { type, name, changes }) {
    const { allocatable, ...others } = changes;
    const wrong = Object.keys(type === "lvm-pv" ? others : changes);
    if (wrong.length > 0) {
      const fields = wrong.map((field) => `'${field}'`).join(", ");
      throw new NodeFault(`Unable to modify the following fields: [${fields}]`);
    }
    if (allocatable === undefined) return;
    const volume = physicalVolume(host, name);
    if (volume === undefined) {
      throw new NodeFault(
        `Failed to modify physical volume, pvchange output:   Failed to find physical volume "${name}".`,
      );
    }
    volume.allocatable = allocatable === true;
  },
  storage_execute({ host }, { type, name, operation }) {
    if (type !== "lvm-vg") {
      throw new NodeFault(`Storage type '${type}' does not support operation '${operation}'`);
    }
    const group = host.volumeGroups[name];
    if (group === undefined) {
      throw new NodeFault(
        `Volume group '${name}' still not consistent, 'vgreduce' output: '  Volume group "${name}" not found', 'vgs' output: '  Volume group "${name}" not found'`,
      );
    }
    for (const [volume, { missing }] of Object.entries(group.physicalVolumes)) {
      if (missing) delete group.physicalVolumes[volume];
    }
    for (const [volume, { pieces }] of Object.entries(group.volumes)) {
      const whole = pieces.every(({ on }) => group.physicalVolumes[on] !== undefined);
      if (!whole) setVolume(group, volume, undefined);
    }
  },
  file_storage_dir_create(site, { directory }) {
    if (!isDirectory(site, storagePath(directory)))
      site.host.fileSystem.directories.push(directory);
  },
  file_storage_dir_remove(site, { directory }) {
    if (hasFiles(site, storagePath(directory))) {
      throw new NodeFault(
        `Cannot remove file storage directory '${directory}': [Errno 39] Directory not empty: '${directory}'`,
      );
    }
    removeDirectory(site, directory);
  },
  file_storage_dir_rename(site, { from, to }) {
    storagePath(from);
    if (isDirectory(site, storagePath(to))) {
      if (!isDirectory(site, from)) return;
      throw new NodeFault(`Cannot rename '${from}' to '${to}': both locations exist`);
    }
    if (!isDirectory(site, from)) {
      throw new NodeFault(`Specified storage dir '${from}' is not a directory`);
    }
    renameDirectory(site, from, to);
  },
};

function unitsOf(host: HostState, type: string, directories: readonly string[]): Unit[] {
  switch (type) {
    case "lvm-pv":
      return Object.values(host.volumeGroups).flatMap((group) => {
        const used = usedByPhysicalVolume(group);
        return Object.entries(group.physicalVolumes).map(
          ([name, { sizeMib, allocatable, missing }]) => {
            const usedMib = used.get(name) ?? 0;
            const space = { size: sizeMib, used: usedMib, free: sizeMib - usedMib };
            // LVM does not know the path of a device that it does not find.
            return missing
              ? { name: "[unknown]", ...space, allocatable: false }
              : { name, ...space, allocatable };
          },
        );
      });
    case "lvm-vg":
      return Object.entries(host.volumeGroups).map(([name, group]) => {
        const { sizeMib, freeMib } = groupSpace(group);
        return { name, size: sizeMib, used: sizeMib - freeMib, free: freeMib, allocatable: true };
      });
    case "file":
    case "sharedfile":
    case "gluster":
      return directories.map((name) => ({
        name,
        size: host.fileSystem.sizeMib,
        used: usedUnder(host, name),
        free: fileSystemFree(host),
        allocatable: true,
      }));
    default:
      throw new NodeFault(`Unknown storage type: '${type}'`);
  }
}

const usedUnder = ({ fileSystem: { disks } }: HostState, directory: string): number =>
  keysBelow(disks, directory).reduce((sum, path) => sum + (disks[path]?.sizeMib ?? 0), 0);

const physicalVolume = (host: HostState, name: string) =>
  Object.values(host.volumeGroups).find(({ physicalVolumes }) => name in physicalVolumes)
    ?.physicalVolumes[name];
