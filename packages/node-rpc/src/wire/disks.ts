/** Calls about block devices. */
import type {
  AssembledDevice,
  DeviceAnswer,
  DeviceStatus,
  DiskCalls,
  DiskOnNode,
  LocalDiskStatus,
  LogicalId,
} from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { CallWires } from "./call-wire.js";
import {
  asList,
  asText,
  type Format,
  keyed,
  listOf,
  nullable,
  plain,
  positional,
  words,
} from "./format.js";
import { disk, instance, storedDisk } from "./objects.js";

const disks = listOf(disk);
const ofDisk = { arguments: positional<{ disk: DiskOnNode }>(["disk", disk]) };
const ofDisks = { arguments: positional<{ disks: readonly DiskOnNode[] }>(["disks", disks]) };
const withChildren = positional<{ disk: DiskOnNode; children: readonly DiskOnNode[] }>(
  ["disk", disk],
  ["children", disks],
);

const localDisk = words<LocalDiskStatus>({ ok: 1, sync: 2, unknown: 3, faulty: 4 });

/** Devices other than mirrors are always `ok` on the wire. */
const deviceStatus = keyed<DeviceStatus>(
  {
    path: ["dev_path", plain],
    major: ["major", plain],
    minor: ["minor", plain],
    syncPercent: ["sync_percent", plain],
    estimatedSeconds: ["estimated_time", plain],
    degraded: ["is_degraded", plain],
    localDisk: ["ldisk_status", localDisk],
  },
  { major: null, minor: null, syncPercent: null, estimatedSeconds: null, localDisk: null },
);
const status: Format<DeviceStatus> = {
  encode: (value, context) =>
    deviceStatus.encode({ ...value, localDisk: value.localDisk ?? "ok" }, context),
  decode: (json, context) => deviceStatus.decode(json, context),
};

const deviceAnswer: Format<DeviceAnswer> = {
  encode: (answer, context) =>
    answer.ok ? [true, status.encode(answer.status, context)] : [false, answer.message],
  decode(json, context) {
    const [ok, rest = null] = asList(json);
    return ok === true
      ? { ok, status: status.decode(rest, context) }
      : { ok: false, message: asText(rest) };
  },
};

/** `[true, true]` on the wire for a device that is not assembled on secondary nodes. */
const assembled: Format<AssembledDevice> = {
  encode: ({ path, link, uri }) => (path === null ? [true, true] : [path, link, uri]),
  decode(json) {
    const [path, link = null, uri = null] = asList(json);
    if (path === true) return { path: null, link: null, uri: null };
    return { path, link, uri } as unknown as AssembledDevice;
  },
};

const dimensions: Format<{ sizeMib: number; spindles: number | null }> = {
  encode: ({ sizeMib, spindles }) => [sizeMib * bytesPerMib, spindles],
  decode(json) {
    const [bytes, spindles = null] = asList(json);
    return { sizeMib: Number(bytes) / bytesPerMib, spindles: spindles as number | null };
  },
};

const rename = positional<{ disk: DiskOnNode; logicalId: LogicalId }>(
  ["disk", storedDisk],
  ["logicalId", plain],
);

export const diskWires: CallWires<keyof DiskCalls> = {
  blockdev_create: {
    arguments: positional(
      ["disk", disk],
      ["sizeMib", plain],
      ["owner", plain],
      ["onPrimary", plain],
      ["info", plain],
      ["exclusiveStorage", plain],
    ),
    value: plain,
  },
  blockdev_remove: { ...ofDisk, value: plain },
  blockdev_assemble: {
    arguments: positional(
      ["disk", disk],
      ["instance", instance],
      ["asPrimary", plain],
      ["index", plain],
    ),
    value: assembled,
  },
  blockdev_shutdown: { ...ofDisk, value: plain },
  blockdev_open: {
    arguments: positional(["owner", plain], ["disks", disks], ["exclusive", plain]),
    value: plain,
  },
  blockdev_close: { arguments: positional(["owner", plain], ["disks", disks]), value: plain },
  blockdev_grow: {
    arguments: positional(
      ["disk", disk],
      ["amountMib", plain],
      ["dryRun", plain],
      ["backingStore", plain],
      ["exclusiveStorage", plain],
    ),
    value: plain,
  },
  blockdev_rename: { arguments: positional(["renames", listOf(rename)]), value: plain },
  blockdev_addchildren: { arguments: withChildren, value: plain },
  blockdev_removechildren: { arguments: withChildren, value: plain },
  blockdev_snapshot: {
    arguments: positional(["disk", disk], ["name", plain], ["sizeMib", plain]),
    value: plain,
  },
  blockdev_setinfo: { arguments: positional(["disk", disk], ["info", plain]), value: plain },
  blockdev_wipe: {
    arguments: positional(["disk", disk], ["offsetMib", plain], ["sizeMib", plain]),
    value: plain,
  },
  blockdev_image: {
    arguments: positional(["disk", disk], ["image", plain], ["sizeMib", plain]),
    value: plain,
  },
  blockdev_convert: { arguments: positional(["source", disk], ["target", disk]), value: plain },
  blockdev_pause_resume_sync: {
    arguments: positional(["disks", disks], ["pause", plain]),
    value: listOf(positional(["ok", plain], ["message", plain])),
  },
  blockdev_find: { ...ofDisk, value: nullable(status) },
  blockdev_getmirrorstatus: { ...ofDisks, value: listOf(status) },
  blockdev_getmirrorstatus_multi: { ...ofDisks, value: listOf(deviceAnswer) },
  blockdev_getdimensions: { ...ofDisks, value: listOf(nullable(dimensions)) },
  drbd_disconnect_net: { ...ofDisks, value: plain },
  drbd_attach_net: {
    arguments: positional(["disks", disks], ["multimaster", plain]),
    value: plain,
  },
  drbd_wait_sync: { ...ofDisks, value: positional(["done", plain], ["syncPercent", plain]) },
  drbd_needs_activation: { ...ofDisks, value: plain },
};
