// Crashes: a server dies, or a job is killed, between any two effects of an operation, or the answer of a node is lost,
// and the next server finds a consistent cluster.
import { setVolume } from "@ganeti-ts/simulated-nodes";
import { describeCrashes, type Scenario } from "./support/crashes.js";
import { makeFiller } from "./support/filler.js";
import { about, create, mirrored } from "./support/opcodes.js";

const scenarios: readonly Scenario[] = [
  { name: "creation", before: [], opcode: create(), mayBeDone: /already in the cluster/ },
  {
    name: "creation of mirrored disks",
    before: [],
    opcode: create(mirrored),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "the adoption of a volume",
    before: [],
    damage: (cluster) => makeFiller(cluster),
    adopts: "filler",
    opcode: create({ disks: [{ adopt: "filler" }], start: false }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "making a reservation real",
    before: [create({ ...mirrored, forthcoming: true })],
    opcode: create({ commit: true, pnode: null, disks: null, nics: null }),
    mayBeDone: /not forthcoming but --commit/,
  },
  {
    name: "start",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_STARTUP"),
  },
  {
    name: "full reboot",
    before: [create()],
    opcode: about("OP_INSTANCE_REBOOT", { reboot_type: "full" }),
  },
  {
    name: "renaming",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_RENAME", { new_name: "web2.example.com" }),
    mayBeDone: /'web1.example.com' not known/,
  },
  {
    name: "giving an instance mirrors",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "drbd", remote_node: "node2" }),
    mayBeDone: /already has disk template drbd/,
  },
  {
    name: "adding a disk",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
  },
  {
    name: "taking the mirrors of an instance away",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "plain" }),
    mayBeDone: /already has disk template plain/,
  },
  {
    name: "another template",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "file" }),
    mayBeDone: /already has disk template file/,
  },
  {
    name: "a move",
    before: [create()],
    opcode: about("OP_INSTANCE_MOVE", { target_node: "node2.example.com" }),
    mayBeDone: /is already on the node/,
  },
  {
    name: "replacing disks in their place",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_secondary" }),
  },
  {
    name: "another secondary node",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      remote_node: "node3.example.com",
    }),
    mayBeDone: /is already the secondary node/,
  },
  {
    name: "replacing disks on the primary",
    before: [create({ ...mirrored, disks: [{ size: 1024 }, { size: 2048 }] })],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_primary" }),
  },
  {
    name: "replacing disks of a stopped instance",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_secondary" }),
  },
  {
    name: "replacing faulty disks",
    before: [create(mirrored)],
    damage: ({ simulated, nodes }) =>
      simulated.breakPhysicalVolume(nodes[1] ?? "", "xenvg", "/dev/sda3"),
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_auto" }),
  },
  {
    name: "another secondary node, released early",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      remote_node: "node3.example.com",
      early_release: true,
    }),
    mayBeDone: /is already the secondary node/,
  },
  {
    name: "another secondary node, chosen by an allocator",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      mode: "replace_new_secondary",
      iallocator: "hail",
    }),
  },
  {
    name: "the evacuation of secondaries",
    before: [create(mirrored)],
    opcode: {
      OP_ID: "OP_NODE_EVACUATE",
      node_name: "node2.example.com",
      mode: "secondary-only",
      iallocator: "hail",
    },
  },
  {
    name: "an export of a running instance",
    before: [create()],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node2.example.com" }),
  },
  {
    name: "an export of mirrored disks of a stopped instance",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node3.example.com" }),
  },
  {
    name: "an export that takes the instance with it",
    isDestructive: true,
    before: [create()],
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", remove_instance: true }),
    // The disks may be removed already.
    resolvedBy: [about("OP_INSTANCE_REMOVE")],
    mayBeDone: /'web1.example.com' not known/,
  },
  {
    name: "a live migration",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_MIGRATE"),
    resolvedBy: [about("OP_INSTANCE_MIGRATE", { cleanup: true })],
    mayBeDone: /does not seem to be running at all/,
  },
  {
    name: "a failover",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_FAILOVER"),
    resolvedBy: [
      about("OP_INSTANCE_ACTIVATE_DISKS", { wait_for_sync: true }),
      about("OP_INSTANCE_FAILOVER"),
    ],
  },
  {
    name: "growing a disk",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_GROW_DISK", { disk: 0, amount: 256 }),
  },
  {
    name: "making lost disks again",
    isDestructive: true,
    before: [create({ ...mirrored, start: false })],
    damage: async ({ simulated, nodes }) => {
      for (const node of nodes) {
        const state = simulated.stateOf(node);
        for (const group of Object.values(state?.volumeGroups ?? {})) {
          for (const name of Object.keys(group.volumes)) setVolume(group, name, undefined);
        }
      }
    },
    opcode: about("OP_INSTANCE_RECREATE_DISKS"),
    mayBeDone: /already exists in volume group/,
  },
  {
    name: "a new installation",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_REINSTALL", { os_type: "noop+default" }),
  },
  {
    name: "an import",
    before: [
      create({ start: false }),
      about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", remove_instance: true }),
    ],
    opcode: create({ mode: "import", src_node: "node2.example.com", disks: [{ size: 1024 }] }),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "removal",
    isDestructive: true,
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REMOVE"),
    mayBeDone: /'web1.example.com' not known/,
  },
];

/** Operations that hold no resources of nodes beyond those of their instance. */
const withoutClaim = ["removal", "renaming", "full reboot", "a new installation"];

describeCrashes(scenarios, withoutClaim);
