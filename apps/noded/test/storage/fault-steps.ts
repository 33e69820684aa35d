/** Steps that make calls about volumes and mirrors. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import type { NodeContext } from "../../src/context.js";
import type { storageCalls } from "../../src/storage/calls.js";
import { storageSpace } from "../../src/storage/units/storage-space.js";

export const { signal } = new AbortController();
const params = {
  ...{ protocol: "C", "resync-rate": 8192, "default-metavg": "xenvg", "disabled-barriers": "n" },
  ...{ "disable-meta-flush": false, "disk-custom": "", "net-custom": "", "dynamic-resync": false },
  ...{ "c-plan-ahead": 0, "c-fill-target": 0, "c-delay-target": 1, "c-max-rate": 61_440 },
  "c-min-rate": 4096,
};
export const plain: DiskOnNode = { ...aPlainDisk("root", 128), params: { stripes: 2 } };
export const mirrorChildren = [aPlainDisk("data", 128), aPlainDisk("meta", 128)].map((child) => ({
  ...child,
  params: { stripes: 1 },
}));
export const mirror: DiskOnNode = {
  ...{
    uuid: "uuid-mirror",
    dev_type: "drbd",
    size: 128,
    iv_name: "disk/0",
    params,
    children: mirrorChildren,
  },
  logical_id: ["A", "B", 11_000, 0, 0, "c0ffee"],
  ends: { localIp: "192.0.2.1", remoteIp: "192.0.2.2", localMinor: 0, remoteMinor: 3 },
};
const instance = anInstance({ disks: [mirror] });

export type Calls = Required<ReturnType<typeof storageCalls>>;
export type Step = readonly [
  name: string,
  run: (calls: Calls, context: NodeContext) => Promise<unknown>,
];

const creation = { owner: instance.name, onPrimary: true, info: "i", exclusiveStorage: false };
const created = async (calls: Calls, disks: readonly DiskOnNode[]) => {
  for (const disk of disks) {
    await calls.blockdev_create({ disk, sizeMib: disk.size, ...creation }, signal);
  }
};
const growth = { amountMib: 64, dryRun: false, backingStore: true, exclusiveStorage: false };
const assembly = { instance, asPrimary: true, index: 0 };

/** Ordered so that each call finds the objects that it needs. */
export const volumeSteps: readonly Step[] = [
  ["create a volume", (calls) => created(calls, [plain])],
  [
    "set the text of a volume",
    (calls) => calls.blockdev_setinfo({ disk: plain, info: "x" }, signal),
  ],
  ["assemble a volume", (calls) => calls.blockdev_assemble({ disk: plain, ...assembly }, signal)],
  ["grow a volume", (calls) => calls.blockdev_grow({ disk: plain, ...growth }, signal)],
  [
    "wipe a volume",
    (calls) => calls.blockdev_wipe({ disk: plain, offsetMib: 0, sizeMib: 64 }, signal),
  ],
  ["copy a volume", (calls) => calls.blockdev_convert({ source: plain, target: plain }, signal)],
  [
    "snapshot a volume",
    (calls) => calls.blockdev_snapshot({ disk: plain, name: null, sizeMib: null }, signal),
  ],
  ["measure a volume", (calls) => calls.blockdev_getdimensions({ disks: [plain] }, signal)],
  [
    "status of volumes",
    (calls) => calls.blockdev_getmirrorstatus_multi({ disks: [plain] }, signal),
  ],
  ["list volumes", (calls) => calls.lv_list({ volumeGroups: ["xenvg"] }, signal)],
  ["list groups", (calls) => calls.vg_list({}, signal)],
  ["list volumes of the node", (calls) => calls.node_volumes({}, signal)],
  [
    "list physical volumes",
    (calls) =>
      calls.storage_list({ type: "lvm-pv", directories: [], name: null, fields: ["name"] }, signal),
  ],
  [
    "list units of groups",
    (calls) =>
      calls.storage_list({ type: "lvm-vg", directories: [], name: null, fields: ["name"] }, signal),
  ],
  [
    "close a physical volume",
    (calls) =>
      calls.storage_modify(
        { type: "lvm-pv", directories: [], name: "/dev/sdb3", changes: { allocatable: false } },
        signal,
      ),
  ],
  [
    "repair a group",
    (calls) =>
      calls.storage_execute(
        { type: "lvm-vg", directories: [], name: "xenvg", operation: "fix-consistency" },
        signal,
      ),
  ],
  [
    "space of a group",
    (_, context) => storageSpace(context, [{ type: "lvm-vg", key: "xenvg", exclusive: false }]),
  ],
  ["remove a volume", (calls) => calls.blockdev_remove({ disk: plain }, signal)],
];
export const mirrorSteps: readonly Step[] = [
  ["create a mirror", (calls) => created(calls, [...mirrorChildren, mirror])],
  ["assemble a mirror", (calls) => calls.blockdev_assemble({ disk: mirror, ...assembly }, signal)],
  [
    "close a mirror",
    (calls) => calls.blockdev_close({ disks: [mirror], owner: instance.name }, signal),
  ],
  [
    "open a mirror",
    (calls) =>
      calls.blockdev_open({ disks: [mirror], owner: instance.name, exclusive: false }, signal),
  ],
  ["disconnect a mirror", (calls) => calls.drbd_disconnect_net({ disks: [mirror] }, signal)],
  ["connect a mirror", (calls) => calls.blockdev_assemble({ disk: mirror, ...assembly }, signal)],
  [
    "pause a mirror",
    (calls) => calls.blockdev_pause_resume_sync({ disks: [mirror], pause: true }, signal),
  ],
  [
    "detach the storage of a mirror",
    (calls) => calls.blockdev_removechildren({ disk: mirror, children: mirrorChildren }, signal),
  ],
  [
    "attach the storage of a mirror",
    (calls) => calls.blockdev_addchildren({ disk: mirror, children: mirrorChildren }, signal),
  ],
  [
    "grow the storage of a mirror",
    (calls) => calls.blockdev_grow({ disk: mirror, ...growth }, signal),
  ],
  [
    "grow a mirror",
    (calls) => calls.blockdev_grow({ disk: mirror, ...growth, backingStore: false }, signal),
  ],
  ["measure a mirror", (calls) => calls.blockdev_getdimensions({ disks: [mirror] }, signal)],
  ["shut a mirror down", (calls) => calls.blockdev_shutdown({ disk: mirror }, signal)],
  ["remove a mirror", (calls) => calls.blockdev_remove({ disk: mirror }, signal)],
];
