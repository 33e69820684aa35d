/** Block devices: logical volumes, files, and mirrors (drbd) of pairs of volumes. */
import * as z from "zod";
import { call, Done, list, object } from "../call.js";
import { DiskOnNode, LogicalId } from "../objects/disk.js";
import { InstanceOnNode } from "../objects/instance.js";

/** Schema of the status of a mirror's local disk. */
export const LocalDiskStatus = z.enum(["ok", "sync", "unknown", "faulty"]);
export type LocalDiskStatus = z.infer<typeof LocalDiskStatus>;

/** Schema of the state of a disk's device, and of its mirror. */
export const DeviceStatus = object({
  path: z.string(),
  major: z.int().nullable(),
  minor: z.int().nullable(),
  /** Null: there is nothing to synchronise, or the peer is missing. */
  syncPercent: z.number().nullable(),
  /** Until the mirror is complete. */
  estimatedSeconds: z.number().nullable(),
  /** The node's own copy is missing or not up to date, or its peer is missing. */
  degraded: z.boolean(),
  /** Null for a device that is not a mirror. */
  localDisk: LocalDiskStatus.nullable(),
});
export type DeviceStatus = z.infer<typeof DeviceStatus>;

/** Schema of the answer for one of several disks: a status or a message. */
export const DeviceAnswer = z.discriminatedUnion("ok", [
  object({ ok: z.literal(true), status: DeviceStatus }),
  object({ ok: z.literal(false), message: z.string() }),
]);
export type DeviceAnswer = z.infer<typeof DeviceAnswer>;

/** Schema of the device that an assembled disk has. */
export const AssembledDevice = object({
  /** Null: the disk's type is not assembled on secondary nodes. */
  path: z.string().nullable(),
  /** Link below the instance's name. */
  link: z.string().nullable(),
  /** For hypervisors that open the storage themselves. */
  uri: z.string().nullable(),
});
export type AssembledDevice = z.infer<typeof AssembledDevice>;

const ofDisk = { disk: DiskOnNode };
const ofDisks = { disks: list(DiskOnNode) };
const withChildren = { ...ofDisk, children: list(DiskOnNode) };

const lifeCalls = {
  /**
   * Makes the device from its existing children. `sizeMib` is that of the disk; an existing device of the
   * same size is taken as it is. The value names the device for nodes that need it, else it is null.
   */
  blockdev_create: call("normal", "same", LogicalId.nullable(), {
    ...ofDisk,
    sizeMib: z.int(),
    /** Name of the instance. */
    owner: z.string(),
    onPrimary: z.boolean(),
    /** Kept with the device: `originstname+NAME`. */
    info: z.string(),
    exclusiveStorage: z.boolean(),
  }),
  blockdev_remove: call("normal", "same", Done, ofDisk),
  /** Brings the device up, on the primary for use; `index` is the position among the instance's disks. */
  blockdev_assemble: call("normal", "same", AssembledDevice, {
    ...ofDisk,
    instance: InstanceOnNode,
    asPrimary: z.boolean(),
    index: z.int(),
  }),
  /**
   * Brings the device down with its children. A mirror is identified by its minor: if the secret in
   * the logical id is null, any mirror on that minor goes down, unless it is held open.
   */
  blockdev_shutdown: call("normal", "same", Done, ofDisk),
  /** Makes devices usable (of drbd: primary) … */
  blockdev_open: call("normal", "same", Done, {
    ...ofDisks,
    owner: z.string(),
    exclusive: z.boolean(),
  }),
  /** … or no longer so. */
  blockdev_close: call("normal", "same", Done, { ...ofDisks, owner: z.string() }),
};

const changeCalls = {
  /**
   * Grows the device to `disk.size + amountMib`, where `disk.size` is the size before. A node
   * daemon that adds the amount to the present size makes the disk larger with each repetition,
   * never smaller.
   */
  blockdev_grow: call("normal", "again", Done, {
    ...ofDisk,
    amountMib: z.int(),
    /** Only checks whether it is possible. */
    dryRun: z.boolean(),
    /** Grows the storage under the device; without it, the device over grown storage. */
    backingStore: z.boolean(),
    exclusiveStorage: z.boolean(),
  }),
  /** Each disk gets the logical id next to it. */
  blockdev_rename: call("normal", "same", Done, {
    renames: list(object({ disk: DiskOnNode, logicalId: LogicalId })),
  }),
  /** Gives the mirror its local storage back … */
  blockdev_addchildren: call("normal", "same", Done, withChildren),
  /** … after it was taken away. */
  blockdev_removechildren: call("normal", "same", Done, withChildren),
  /** The logical id of the snapshot, which is a disk of its own. */
  blockdev_snapshot: call("normal", "same", LogicalId, {
    ...ofDisk,
    name: z.string().nullable(),
    sizeMib: z.int().nullable(),
  }),
  blockdev_setinfo: call("normal", "same", Done, { ...ofDisk, info: z.string() }),
  blockdev_wipe: call("slow", "same", Done, { ...ofDisk, offsetMib: z.int(), sizeMib: z.int() }),
  /** Copies an image, from a path or URL, to the device. */
  blockdev_image: call("slow", "same", Done, { ...ofDisk, image: z.string(), sizeMib: z.int() }),
  blockdev_convert: call("slow", "same", Done, { source: DiskOnNode, target: DiskOnNode }),
  /** By disk: whether it was done, else the reason. */
  blockdev_pause_resume_sync: call(
    "normal",
    "same",
    list(object({ ok: z.boolean(), message: z.string().nullable() })),
    { ...ofDisks, pause: z.boolean() },
  ),
};

const lookCalls = {
  /** Null if the device is missing or not up. */
  blockdev_find: call("normal", "looks", DeviceStatus.nullable(), ofDisk),
  /** Fails if one is missing: `Can't find device …`. */
  blockdev_getmirrorstatus: call("normal", "looks", list(DeviceStatus), ofDisks),
  blockdev_getmirrorstatus_multi: call("normal", "looks", list(DeviceAnswer), ofDisks),
  /** Null for missing devices. */
  blockdev_getdimensions: call(
    "normal",
    "looks",
    list(object({ sizeMib: z.number(), spindles: z.int().nullable() }).nullable()),
    ofDisks,
  ),
};

const mirrorCalls = {
  drbd_disconnect_net: call("normal", "same", Done, ofDisks),
  /** `multimaster`: both sides may be primary, while an instance migrates. */
  drbd_attach_net: call("normal", "same", Done, { ...ofDisks, multimaster: z.boolean() }),
  /** Waits a while; `done`: all disks are synchronised, else the least of their percentages. */
  drbd_wait_sync: call(
    "slow",
    "looks",
    object({ done: z.boolean(), syncPercent: z.number() }),
    ofDisks,
  ),
  /** UUIDs of disks whose devices are down. */
  drbd_needs_activation: call("normal", "looks", list(z.string()), ofDisks),
};

export const diskCalls = { ...lifeCalls, ...changeCalls, ...lookCalls, ...mirrorCalls };
