/** Disks that are logical volumes. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { deviceOn, isAttached, isHeldOpen, renameHeld } from "./devices-in-use.js";
import { type DiskKind, simpleStatus } from "./disk-kind.js";
import type { HostState, VolumeGroupState, VolumeState } from "./node-state.js";
import { NodeFault, type Site } from "./site.js";
import { changeVolume, isBroken, takeSpace, volumeAt } from "./volume-group.js";
import { setVolume } from "./volumes.js";

const namesOf = ({ logical_id }: DiskOnNode): [group: string, volume: string] => [
  String(logical_id[0]),
  String(logical_id[1]),
];

const pathOf = (disk: DiskOnNode): string => `/dev/${namesOf(disk).join("/")}`;

function existing(host: HostState, disk: DiskOnNode): [VolumeGroupState, VolumeState] {
  const group = host.volumeGroups[namesOf(disk)[0]];
  const volume = volumeAt(host, disk.logical_id);
  if (group === undefined || volume === undefined) {
    throw new NodeFault(`${pathOf(disk)}: no such logical volume`);
  }
  return [group, volume];
}

export const plainDisk: DiskKind = {
  create({ host }, disk, { sizeMib, info, exclusiveStorage }) {
    const [groupName, name] = namesOf(disk);
    const there = volumeAt(host, disk.logical_id);
    if (there !== undefined) {
      if (there.sizeMib === sizeMib) return;
      throw new NodeFault(
        `LV create failed (exited with exit code 5):   Logical Volume "${name}" already exists in volume group "${groupName}"`,
      );
    }
    const group = host.volumeGroups[groupName];
    const spindles = exclusiveStorage ? (disk.spindles ?? null) : null;
    if (exclusiveStorage && spindles === null) {
      throw new NodeFault(
        "Unspecified number of spindles: this is requiredwhen exclusive storage is enabled, try running gnt-cluster repair-disk-sizes",
      );
    }
    const pieces = takeSpace(group, groupName, sizeMib, spindles);
    if (group) setVolume(group, name, { sizeMib, pieces, info, open: true });
  },
  status({ host }, disk) {
    const volume = volumeAt(host, disk.logical_id);
    const group = host.volumeGroups[namesOf(disk)[0]];
    if (volume === undefined || group === undefined) return undefined;
    return simpleStatus(pathOf(disk), isBroken(group, volume));
  },
  remove(site, disk) {
    const { host } = site;
    const [groupName, name] = namesOf(disk);
    const group = host.volumeGroups[groupName];
    const key = deviceOn(site.uuid, disk);
    if (group?.volumes[name] !== undefined && (isHeldOpen(host, key) || isAttached(host, key))) {
      throw new NodeFault(
        `Can't lvremove: exited with exit code 5 -   Logical volume ${groupName}/${name} in use.`,
      );
    }
    if (group) setVolume(group, name, undefined);
  },
  assemble({ host }, disk) {
    const [group, volume] = existing(host, disk);
    if (isBroken(group, volume))
      throw new NodeFault(`Can't activate lv ${pathOf(disk)}: PV missing`);
    changeVolume(host, disk.logical_id, { open: true });
  },
  shutdown: (site, disk) => close(site, disk),
  open({ host }, disk) {
    existing(host, disk);
    changeVolume(host, disk.logical_id, { open: true });
  },
  close: (site, disk) => close(site, disk),
  grow({ host }, disk, { amountMib, dryRun, backingStore, exclusiveStorage }) {
    if (!backingStore) return;
    const [group, volume] = existing(host, disk);
    if (exclusiveStorage) throw new NodeFault("Can't grow disks with exclusive storage");
    const missingMib = disk.size + amountMib - volume.sizeMib;
    if (missingMib <= 0) return;
    const pieces = takeSpace(group, namesOf(disk)[0], missingMib, null);
    if (dryRun) return;
    changeVolume(host, disk.logical_id, {
      sizeMib: disk.size + amountMib,
      pieces: [...volume.pieces, ...pieces],
    });
  },
  rename(site, disk, logicalId) {
    const { host } = site;
    const [groupName, name] = namesOf(disk);
    const [newGroup, newName] = [String(logicalId[0]), String(logicalId[1])];
    if (newGroup !== groupName) {
      throw new NodeFault(
        `Can't rename LV to another VG, not supported (old: ${groupName}, new: ${newGroup})`,
      );
    }
    const group = host.volumeGroups[groupName];
    const volume = group?.volumes[name];
    if (group === undefined || volume === undefined) return;
    if (group.volumes[newName] !== undefined) {
      throw new NodeFault(
        `Failed to rename the logical volume:   New logical volume "${newName}" already exists`,
      );
    }
    setVolume(group, name, undefined);
    setVolume(group, newName, volume);
    const renamed = deviceOn(site.uuid, { ...disk, logical_id: logicalId });
    renameHeld(host, deviceOn(site.uuid, disk), renamed);
  },
  setInfo({ host }, disk, info) {
    existing(host, disk);
    changeVolume(host, disk.logical_id, { info });
  },
  dimensions({ host }, disk) {
    const volume = volumeAt(host, disk.logical_id);
    return volume && { sizeMib: volume.sizeMib, spindles: volume.pieces.length };
  },
  path: (_, disk) => pathOf(disk),
  image: ({ host }, disk) => volumeAt(host, disk.logical_id)?.image,
  write({ host }, disk, image) {
    if (volumeAt(host, disk.logical_id)?.readOnly) {
      throw new NodeFault(`error writing '${pathOf(disk)}': Operation not permitted`);
    }
    changeVolume(host, disk.logical_id, { image });
  },
  snapshot({ host }, disk, [group, name], sizeMib) {
    const [there, volume] = existing(host, disk);
    setVolume(there, String(name), undefined);
    const size = sizeMib ?? volume.sizeMib;
    const pieces = takeSpace(there, String(group), size, null);
    setVolume(there, String(name), { ...volume, sizeMib: size, pieces, open: false });
  },
};

const close = ({ host }: Site, disk: DiskOnNode): void =>
  changeVolume(host, disk.logical_id, { open: false });
