// Crashes of operations on disks that are not volumes: files, shared storage, adopted devices.
import { describeCrashes, device, type Scenario } from "./support/crashes.js";
import { about, create, mirrored } from "./support/opcodes.js";

const stopped = (template: string) => create({ disk_template: template, start: false });
const onFiles = stopped("file");
const onSharedFiles = stopped("sharedfile");
const ext = { disk_template: "ext", disks: [{ size: 1024, provider: "pvdr1" }] };
const named = { size: 1024, name: "data" };
const adopting = { disk_template: "blockdev", disks: [{ adopt: device }] };
const renaming = about("OP_INSTANCE_RENAME", { new_name: "web2.example.com" });
const isRenamed = /'web1.example.com' not known/;
const exporting = (more = {}) =>
  about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", ...more });
const failover = (more = {}) =>
  about("OP_INSTANCE_FAILOVER", { target_node: "node2.example.com", ...more });
const isOver = /to its primary/;

const converting = (from: Scenario["opcode"], to: string, more = {}): Scenario => ({
  name: `a conversion from ${from.disk_template} to ${to}`,
  before: [from],
  opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: to, ...more }),
  mayBeDone: new RegExp(`already has disk template ${to}`),
});

const scenarios: readonly Scenario[] = [
  {
    name: "creation on files",
    before: [],
    opcode: create({ disk_template: "file" }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "creation on shared files",
    before: [],
    opcode: create({ disk_template: "sharedfile" }),
    mayBeDone: /already in the cluster/,
  },
  { name: "renaming on files", before: [onFiles], opcode: renaming, mayBeDone: isRenamed },
  {
    name: "renaming on shared files",
    before: [onSharedFiles],
    opcode: renaming,
    mayBeDone: isRenamed,
  },
  converting(onFiles, "drbd", { remote_node: "node2" }),
  converting(onFiles, "sharedfile"),
  converting(onSharedFiles, "plain"),
  converting(stopped("rbd"), "file"),
  converting(create({ ...ext, start: false }), "rbd"),
  converting(create({ ...mirrored, start: false }), "sharedfile"),
  {
    name: "a move of a disk in a file",
    before: [create({ disk_template: "file" })],
    opcode: about("OP_INSTANCE_MOVE", { target_node: "node2.example.com" }),
    mayBeDone: /is already on the node/,
  },
  {
    name: "adding a disk in a file",
    before: [onFiles],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
  },
  {
    name: "removing a disk in a file",
    isDestructive: true,
    before: [
      create({ disk_template: "file", disks: [{ size: 1024 }, { size: 1024 }], start: false }),
    ],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", 1, {}]] }),
    mayBeDone: /list index out of range/,
  },
  {
    name: "detaching a disk in a file",
    before: [create({ disk_template: "file", disks: [{ size: 1024 }, named], start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["detach", "data", {}]] }),
    mayBeDone: /Lookup of disk .data. failed/,
  },
  {
    name: "attaching a disk in a file",
    before: [
      create({ disk_template: "file", disks: [{ size: 1024 }, named], start: false }),
      about("OP_INSTANCE_SET_PARAMS", { disks: [["detach", "data", {}]] }),
    ],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["attach", -1, { name: "data" }]] }),
    mayBeDone: /No disk was found with this name/,
  },
  {
    name: "a failover of shared files",
    before: [onSharedFiles],
    opcode: failover(),
    mayBeDone: isOver,
  },
  {
    name: "a failover of an adopted device",
    before: [create({ ...adopting, start: false })],
    opcode: failover(),
    mayBeDone: isOver,
  },
  {
    name: "an export of a running instance on external storage",
    before: [create(ext)],
    opcode: exporting(),
  },
  { name: "an export of disks in files", before: [onFiles], opcode: exporting() },
  {
    name: "an export that takes an instance on files with it",
    isDestructive: true,
    before: [onFiles],
    opcode: exporting({ remove_instance: true }),
    resolvedBy: [about("OP_INSTANCE_REMOVE")],
    mayBeDone: isRenamed,
  },
  {
    name: "an import to files",
    before: [create({ start: false }), exporting({ remove_instance: true })],
    opcode: create({ mode: "import", src_node: "node2.example.com", disk_template: "file" }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "a new installation on shared files",
    before: [onSharedFiles],
    opcode: about("OP_INSTANCE_REINSTALL", { os_type: "noop+default" }),
  },
  {
    name: "removal from files",
    isDestructive: true,
    before: [create({ disk_template: "file" })],
    opcode: about("OP_INSTANCE_REMOVE"),
    mayBeDone: isRenamed,
  },
];

describeCrashes(scenarios, [
  ...["a failover of shared files", "a failover of an adopted device", "removal from files"],
  ...["a new installation on shared files", "removing a disk in a file"],
]);
