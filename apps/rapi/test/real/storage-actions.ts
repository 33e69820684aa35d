/** Actions on the storage, the name and the system of an instance, most of them while it is stopped. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { type Action, modification } from "./action.js";
import { actionNodes, type Qemu } from "./action-cluster.js";
import { firstSizeMib } from "./device-actions.js";

const web = "web.example.com";
const growth = (disk: number, amount: number, more: JsonObject = {}) => ({
  ...{ OP_ID: "OP_INSTANCE_GROW_DISK", disk, amount, ...more },
});
const shutdown = { OP_ID: "OP_INSTANCE_SHUTDOWN", timeout: 0 };
const withDisk = [modification({ disks: [["add", -1, { size: 32 }]] })];
const sizesOf = ({ disks }: Qemu) => disks.map(({ sizeMib }) => sizeMib);

/** Place and size of the first disk, and the name that QEMU has. */
const storage = ({ open: [path = ""], words, disks: [disk] }: Qemu) => [
  ...[path.replace(/[^/]+$/, ""), disk?.sizeMib, words[words.indexOf("-name") + 1]],
];
const placeOf = (kind: string, name: string) => [
  ...[`/srv/ganeti/${kind}-storage/${name}/`, firstSizeMib, name],
];
const shared = placeOf("shared-file", web);

/** A row about the first disk of an instance that is stopped for it. */
const stopped = (
  title: string,
  opcode: JsonObject,
  after: readonly unknown[],
  more: Partial<Action> = {},
): Action => ({
  ...{ title, opcode, asks: storage, before: shared, after, stoppedAs: web },
  ...more,
});

/** Disks whose positions have changed while it ran. */
const moved = [
  modification({
    disks: [
      ["add", -1, { size: 32 }],
      ["add", -1, { size: 48 }],
    ],
  }),
  modification({
    disks: [
      ["remove", 1, {}],
      ["add", -1, { size: 64 }],
    ],
  }),
];
const [, node2] = actionNodes;
const imported = {
  ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "import", src_node: node2, src_path: web, pnode: node2 },
  ...{ disk_template: "sharedfile", disks: [], nics: [], start: false },
  ...{ ip_check: false, name_check: false },
};

export const storageActions: readonly Action[] = [
  {
    ...{ title: "a disk that was added grows", given: withDisk, opcode: growth(1, 16) },
    ...{ asks: sizesOf, before: [firstSizeMib, 32], after: [firstSizeMib, 48] },
    ...{ guest: ["cat /sys/block/vdb/size", String(48 * 2048)], isQuick: true },
  },
  {
    ...{ title: "its first disk grows to a size", opcode: growth(0, 300, { absolute: true }) },
    ...{ asks: sizesOf, before: [firstSizeMib], after: [300] },
    guest: ["cat /sys/block/vda/size", String(300 * 2048)],
  },
  stopped(
    "it is renamed",
    {
      OP_ID: "OP_INSTANCE_RENAME",
      new_name: "db.example.com",
      ...{ ip_check: false, name_check: false },
    },
    placeOf("shared-file", "db.example.com"),
    {
      ...{ stoppedAs: "db.example.com", guest: ["hostname", "db.example.com"] },
    },
  ),
  stopped("its system is installed again", { OP_ID: "OP_INSTANCE_REINSTALL" }, shared),
  stopped(
    "its disks are recreated after they were lost",
    { OP_ID: "OP_INSTANCE_RECREATE_DISKS" },
    shared,
    {
      ...{ guest: null, script: `rm ${shared[0]}*` },
    },
  ),
  stopped(
    "its disks move to files of one node",
    modification({ disk_template: "file" }),
    placeOf("file", web),
    {
      stays: true,
    },
  ),
  stopped(
    "its disks move back to shared files",
    modification({ disk_template: "sharedfile" }),
    shared,
    {
      before: placeOf("file", web),
      given: [shutdown, modification({ disk_template: "file" }), { OP_ID: "OP_INSTANCE_STARTUP" }],
    },
  ),
  stopped("it is exported, removed and imported on another node", imported, shared, {
    node: node2,
    meanwhile: [
      { OP_ID: "OP_BACKUP_EXPORT", mode: "local", destination: node2, shutdown: false },
      { OP_ID: "OP_INSTANCE_REMOVE", shutdown_timeout: 0 },
    ],
  }),
  {
    title: "it fails over after a disk was removed and two were added",
    given: moved,
    opcode: { OP_ID: "OP_INSTANCE_FAILOVER", target_node: node2, shutdown_timeout: 0 },
    ...{ asks: sizesOf, before: [firstSizeMib, 48, 64], after: [firstSizeMib, 48, 64] },
    node: node2,
  },
  {
    title: "it is rebooted by its hypervisor after a disk was removed and two were added",
    given: moved,
    opcode: { OP_ID: "OP_INSTANCE_REBOOT", reboot_type: "soft" },
    ...{ asks: sizesOf, before: [firstSizeMib, 48, 64], after: [firstSizeMib, 48, 64] },
  },
];
