/** Operations of an administrator during the life of an instance, for each disk template. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";

export const web = "web.example.com";
const [node1, node2, node3] = [1, 2, 3].map((number) => `node${number}.example.com`) as [
  string,
  string,
  string,
];

/** A device on each node that instances may adopt. */
export const device = "/dev/disk/by-id/web";

export type Template = (typeof allTemplates)[number];
export const allTemplates = [
  ...(["plain", "drbd", "file", "sharedfile", "gluster", "rbd", "ext", "blockdev"] as const),
  "diskless" as const,
];
/** Templates whose disks are accessible from every node. */
const shared: readonly Template[] = ["sharedfile", "gluster", "rbd", "ext", "blockdev"];
const local: readonly Template[] = ["plain", "file"];
const moving: readonly Template[] = ["drbd", "diskless", ...shared];
const withDisks = allTemplates.filter((one) => one !== "diskless");
/** Templates that create disks. */
const making = withDisks.filter((one) => one !== "blockdev");

export interface Step {
  readonly title: string;
  readonly opcodes: readonly JsonObject[];
  /** Templates that support the step; absent: all. */
  readonly only?: readonly Template[];
  /** Error of the first opcode with the other templates; absent: the step is skipped for them. */
  readonly refused?: RegExp;
  /** Needs a second group of at least two nodes. */
  readonly changesGroup?: boolean;
}

const about = (operation: string, more: JsonObject = {}): JsonObject => ({
  ...{ OP_ID: `OP_INSTANCE_${operation}`, instance_name: web },
  ...more,
});
const set = (more: JsonObject): JsonObject => about("SET_PARAMS", more);
const node = (node_name: string, more: JsonObject): JsonObject => ({
  ...{ OP_ID: "OP_NODE_SET_PARAMS", node_name },
  ...more,
});
const tags = (operation: string): JsonObject => ({
  ...{ OP_ID: `OP_TAGS_${operation}`, kind: "instance", name: web, tags: ["qa", "tag:2"] },
});
const renaming = (from: string, new_name: string): JsonObject => ({
  ...{ OP_ID: "OP_INSTANCE_RENAME", instance_name: from, new_name },
  ...{ ip_check: false, name_check: false },
});
const shutdown = about("SHUTDOWN");
export const removal = about("REMOVE");
const startup = about("STARTUP");
/** Export with the instance shut down, because most disk types have no snapshots. */
const exported = {
  OP_ID: "OP_BACKUP_EXPORT",
  instance_name: web,
  target_node: node3,
  long_sleep: true,
};

export const creation = (template: Template): JsonObject =>
  about("CREATE", {
    ...{ mode: "create", disk_template: template, os_type: "noop+default", nics: [{}] },
    ...{ pnode: node1, ip_check: false, name_check: false, conflicts_check: false },
    ...{ beparams: { minmem: 256, maxmem: 512, vcpus: 1 }, hypervisor: "kvm" },
    disks: disksOf(template),
    ...(template === "drbd" && { snode: node2 }),
    ...(template === "diskless" && { no_install: true }),
  });

function disksOf(template: Template): JsonObject[] {
  if (template === "diskless") return [];
  if (template === "blockdev") return [{ adopt: device }];
  return [{ size: 1024, ...(template === "ext" && { provider: "pvdr1" }) }];
}

/** Any machine has files; volumes need LVM. */
const another = (template: Template): Template =>
  template === "file"
    ? "sharedfile"
    : ["plain", "sharedfile"].includes(template)
      ? "file"
      : "plain";

/** Conversions to another template and back. */
const conversions = (template: Template): readonly JsonObject[] => [
  set({ disk_template: another(template) }),
  set({
    disk_template: template,
    ...(template === "drbd" && { remote_node: node2 }),
    ...(template === "ext" && { ext_params: { provider: "pvdr1" } }),
  }),
];

const running: readonly Step[] = [
  {
    title: "it is rebooted in each way",
    opcodes: ["soft", "hard", "full"].map((reboot_type) => about("REBOOT", { reboot_type })),
  },
  { title: "it gets tags, which go again", opcodes: [tags("SET"), tags("DEL")] },
  {
    title: "its memory, processors and flags change",
    opcodes: [
      set({ beparams: { maxmem: 640, vcpus: 2, always_failover: true } }),
      set({ beparams: { maxmem: 512, vcpus: "default", always_failover: "default" } }),
    ],
  },
  {
    title: "its hypervisor parameters change",
    opcodes: [
      set({ hvparams: { boot_order: "network", acpi: false } }),
      set({ hvparams: { boot_order: "default", acpi: "default" } }),
    ],
  },
  {
    title: "it gets a NIC, which changes and goes",
    opcodes: [
      set({ nics: [["add", -1, { name: "second" }]] }),
      set({ nics: [["modify", "second", { mac: "aa:00:00:00:00:77" }]] }),
      set({ nics: [["remove", "second", {}]] }),
    ],
  },
  {
    title: "it is migrated there and back",
    opcodes: [node2, node1].map((target_node) => about("MIGRATE", { target_node })),
    only: moving,
    refused: /does not allow migrations/,
  },
  {
    title: "it is failed over there and back",
    opcodes: [node2, node1].map((target_node) => about("FAILOVER", { target_node })),
    only: moving,
    refused: /does not allow failovers/,
  },
  {
    title: "each of its copies is replaced, and its secondary twice",
    opcodes: [
      ...["replace_on_primary", "replace_on_secondary"].map((mode) =>
        about("REPLACE_DISKS", { mode, disks: [] }),
      ),
      ...[node3, node2].map((remote_node) =>
        about("REPLACE_DISKS", { mode: "replace_new_secondary", remote_node, disks: [] }),
      ),
    ],
    only: ["drbd"],
    refused: /strange layout, expected one secondary but found 0/,
  },
  {
    title: "its node is evacuated of secondaries",
    opcodes: [
      { OP_ID: "OP_NODE_EVACUATE", node_name: node2, mode: "secondary-only", remote_node: node3 },
      about("REPLACE_DISKS", { mode: "replace_new_secondary", remote_node: node2, disks: [] }),
    ],
    only: ["drbd"],
  },
  {
    title: "all instances of its node are migrated",
    opcodes: [
      { OP_ID: "OP_NODE_MIGRATE", node_name: node1, target_node: node2 },
      about("MIGRATE", { target_node: node1 }),
    ],
    only: moving,
  },
  {
    title: "a node that it does not use is drained, offline and back",
    opcodes: [
      node(node3, { drained: true }),
      node(node3, { drained: false }),
      node(node3, { offline: true }),
      node(node3, { offline: false, auto_promote: true }),
    ],
  },
];

const stopped = (template: Template): readonly Step[] => [
  { title: "it is stopped", opcodes: [shutdown] },
  {
    title: "its system is installed again",
    opcodes: [about("REINSTALL")],
    only: withDisks,
    refused: /no disks/,
  },
  {
    title: "it is renamed, and gets its name back",
    opcodes: [renaming(web, "db.example.com"), renaming("db.example.com", web)],
  },
  {
    title: "its disk grows",
    opcodes: [about("GROW_DISK", { disk: 0, amount: 256 })],
    only: making,
    refused: /does not support growing|Invalid disk index: 0/,
  },
  {
    title: "it gets a disk, which changes and goes",
    opcodes: [
      set({ disks: [["add", -1, { ...disksOf(template)[0], name: "second" }]] }),
      set({ disks: [["modify", "second", { mode: "ro" }]] }),
      set({ disks: [["remove", "second", {}]] }),
    ],
    only: making,
  },
  {
    title: "its disks are activated and deactivated",
    opcodes: [about("ACTIVATE_DISKS"), about("DEACTIVATE_DISKS")],
  },
  {
    title: "it is moved there and back",
    opcodes: [about("MOVE", { target_node: node2 }), about("MOVE", { target_node: node1 })],
    only: [...local, "diskless"],
    refused: /is not suitable for copying/,
  },
  {
    title: "it is marked offline, and can be used again",
    opcodes: [set({ offline: true }), set({ offline: false })],
  },
  {
    title: "its disks get another template and their own again",
    opcodes: conversions(template),
    only: making,
    refused: /disk template is not supported/,
  },
  { title: "it starts", opcodes: [startup] },
];

/** Carries out the opcodes of a step, or the first one if it must be refused: what came otherwise than the step says. */
export async function surprises(
  run: (opcode: JsonObject) => Promise<{ readonly status: string; readonly result: Json }>,
  { title, opcodes, only = allTemplates, refused }: Step,
  template: Template,
): Promise<readonly unknown[]> {
  const isPossible = only.includes(template);
  const tried = isPossible ? opcodes : refused === undefined ? [] : opcodes.slice(0, 1);
  const found: unknown[] = [];
  for (const opcode of tried) {
    const { status, result } = await run(opcode);
    const isRefused = status === "error" && refused?.test(JSON.stringify(result)) === true;
    if (isPossible ? status !== "success" : !isRefused) found.push([title, opcode, status, result]);
  }
  return found;
}

/** All steps between its creation and its removal. */
export const stepsOf = (template: Template): readonly Step[] => [
  ...running,
  ...stopped(template),
  {
    title: "it is exported and the export removed",
    opcodes: [exported, { OP_ID: "OP_BACKUP_REMOVE", instance_name: web }],
    only: withDisks,
    refused: /errors in export finalization/,
  },
  {
    title: "it changes its group and comes back",
    opcodes: [
      about("CHANGE_GROUP", { target_groups: ["second"], iallocator: "hail" }),
      about("CHANGE_GROUP", { target_groups: ["default"], iallocator: "hail" }),
    ],
    only: moving,
    refused: /cannot be relocated/,
    changesGroup: true,
  },
];
