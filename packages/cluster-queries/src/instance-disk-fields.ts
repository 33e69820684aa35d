/** Query fields of an instance's disks, together and one by one. */
import type { Snapshot } from "@ganeti-ts/config";
import {
  type DiskObject,
  diskUsageMib,
  type InstanceObject,
  instanceDisksMax,
} from "@ganeti-ts/protocol";
import { type Field, field, optionalField } from "./field.js";
import { ordinal } from "./ordinal.js";

/** A value for each disk; null if a disk has none. */
const each = (read: (disk: DiskObject) => unknown) => (instance: InstanceObject, now: Snapshot) =>
  now.disksOf(instance).map((disk) => read(disk) ?? null);

const usageMib = ({ dev_type, size }: DiskObject): number => diskUsageMib(dev_type, size ?? 0);

const aggregates: readonly Field<InstanceObject>[] = [
  field(
    [
      "disk_usage",
      "DiskUsage",
      "unit",
      "Total disk space used by instance on each of its nodes; this is not the disk size visible to the instance, but the usage on the node",
    ],
    (instance, now) => now.disksOf(instance).reduce((sum, disk) => sum + usageMib(disk), 0),
  ),
  field(["disk.count", "Disks", "number", "Number of disks"], ({ disks }) => disks.length),
  field(
    ["disk.sizes", "Disk_sizes", "other", "List of disk sizes"],
    each(({ size }) => size),
  ),
  field(
    ["disk.spindles", "Disk_spindles", "other", "List of disk spindles"],
    each(({ spindles }) => spindles),
  ),
  field(
    ["disk.names", "Disk_names", "other", "List of disk names"],
    each(({ name }) => name),
  ),
  field(
    ["disk.uuids", "Disk_UUIDs", "other", "List of disk UUIDs"],
    each(({ uuid }) => uuid),
  ),
];

function fieldsOfDisk(index: number): Field<InstanceObject>[] {
  const which = `${ordinal(index + 1)} disk`;
  const disk = ({ disks }: InstanceObject, now: Snapshot) => {
    const uuid = disks[index];
    return uuid && now.disk(uuid);
  };
  return [
    optionalField(
      [`disk.size/${index}`, `Disk/${index}`, "unit", `Disk size of ${which}`],
      "unavailable",
      (instance, now) => disk(instance, now)?.size,
    ),
    optionalField(
      [`disk.spindles/${index}`, `DiskSpindles/${index}`, "number", `Spindles of ${which}`],
      "unavailable",
      (instance, now) => disk(instance, now)?.spindles,
    ),
    optionalField(
      [`disk.name/${index}`, `DiskName/${index}`, "text", `Name of ${which}`],
      "unavailable",
      (instance, now) => disk(instance, now)?.name,
    ),
    optionalField(
      [`disk.uuid/${index}`, `DiskUUID/${index}`, "text", `UUID of ${which}`],
      "unavailable",
      ({ disks }) => disks[index],
    ),
  ];
}

export const diskFields: readonly Field<InstanceObject>[] = [
  ...aggregates,
  ...Array.from({ length: instanceDisksMax }, (_, index) => fieldsOfDisk(index)).flat(),
];
