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
  positional,
  words,
} from "./format.js";
import { disk, instance, storedDisk } from "./objects.js";

const disks = listOf(disk);
const on = ["disk", disk] as const;
const onAll = ["disks", disks] as const;
const ofDisk = positional<{ disk: DiskOnNode }>(on);
const ofDisks = positional<{ disks: readonly DiskOnNode[] }>(onAll);
const withChildren = positional<{ disk: DiskOnNode; children: readonly DiskOnNode[] }>(
  ["disk", disk],
  ["children", disks],
);

const localDisk = words<LocalDiskStatus>({ ok: 1, sync: 2, unknown: 3, faulty: 4 });

/** Devices other than mirrors are always `ok` on the wire. */
const deviceStatus = keyed<DeviceStatus>(
  {
    path: "dev_path",
    major: "major",
    minor: "minor",
    syncPercent: "sync_percent",
    estimatedSeconds: "estimated_time",
    degraded: "is_degraded",
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
  "logicalId",
);

export const diskWires: CallWires<keyof DiskCalls> = {
  blockdev_create: positional(on, "sizeMib", "owner", "onPrimary", "info", "exclusiveStorage"),
  blockdev_remove: ofDisk,
  blockdev_assemble: {
    arguments: positional(on, ["instance", instance], "asPrimary", "index"),
    value: assembled,
  },
  blockdev_shutdown: ofDisk,
  blockdev_open: positional("owner", onAll, "exclusive"),
  blockdev_close: positional("owner", onAll),
  blockdev_grow: positional(on, "amountMib", "dryRun", "backingStore", "exclusiveStorage"),
  blockdev_rename: positional(["renames", listOf(rename)]),
  blockdev_addchildren: withChildren,
  blockdev_removechildren: withChildren,
  blockdev_snapshot: positional(on, "name", "sizeMib"),
  blockdev_setinfo: positional(on, "info"),
  blockdev_wipe: positional(on, "offsetMib", "sizeMib"),
  blockdev_image: positional(on, "image", "sizeMib"),
  blockdev_convert: positional(["source", disk], ["target", disk]),
  blockdev_pause_resume_sync: {
    arguments: positional(onAll, "pause"),
    value: listOf(positional("ok", "message")),
  },
  blockdev_find: { arguments: ofDisk, value: nullable(status) },
  blockdev_getmirrorstatus: { arguments: ofDisks, value: listOf(status) },
  blockdev_getmirrorstatus_multi: { arguments: ofDisks, value: listOf(deviceAnswer) },
  blockdev_getdimensions: { arguments: ofDisks, value: listOf(nullable(dimensions)) },
  drbd_disconnect_net: ofDisks,
  drbd_attach_net: positional(onAll, "multimaster"),
  drbd_wait_sync: { arguments: ofDisks, value: positional("done", "syncPercent") },
  drbd_needs_activation: ofDisks,
};
