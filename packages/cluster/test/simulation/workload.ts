// Workload of administrators: random opcodes at random times.
import type { Snapshot } from "@ganeti-ts/config";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";

/** Names of instances that are created and removed. */
export const names = ["a", "b", "c", "d"].map((name) => `${name}.example.com`);

/** Existing device that an instance of this name may adopt. */
export const deviceOf = (name: string): string => `/dev/disk/by-id/${name}`;

export const templates = [
  ...(["drbd", "plain", "file", "sharedfile", "rbd", "ext", "blockdev"] as const),
];

/** Choice of the objects that an opcode affects. */
export interface Scope {
  instance(): string;
  node(): string;
}

/** Scope with these nodes, and the instances that are created and removed. */
export const everything = (dice: Dice, nodes: readonly string[]): Scope => ({
  instance: () => dice.pick(names),
  node: () => dice.pick(nodes),
});

/** Opcodes of a random job, about objects that currently exist. */
export function randomJob(dice: Dice, now: Snapshot, scope: Scope): readonly JsonObject[] {
  if (dice.chance(0.05)) return movedDisk(dice, now);
  const count = dice.chance(0.2) ? 2 : 1;
  const opcodes = Array.from({ length: count }, () => randomOpcode(dice, now, scope));
  const [first] = opcodes;
  if (first?.OP_ID === "OP_BACKUP_EXPORT" && first.remove_instance === true) {
    const back = importing(dice, String(first.instance_name));
    return dice.chance(0.7) ? [first, { ...back, src_node: first.target_node ?? null }] : [first];
  }
  if (first?.OP_ID === "OP_BACKUP_EXPORT" && dice.chance(0.5))
    return [first, twin(dice, now, first)];
  if (first?.OP_ID === "OP_NETWORK_ADD")
    return [first, connecting(dice, now, first.network_name ?? null)];
  const isForStopped = ofStopped.has(String(first?.OP_ID)) || first?.disk_template !== undefined;
  if (!isForStopped || first?.mode !== undefined || dice.chance(0.5)) return opcodes;
  const { instance_name = null } = first ?? {};
  return [{ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name, timeout: 0 }, ...opcodes];
}

/** Moves the last disk of one instance to another instance on the same node, or detaches and attaches it again. */
function movedDisk(dice: Dice, now: Snapshot): readonly JsonObject[] {
  const real = [...now.instances()].filter((one) => !one.forthcoming && one.disks.length > 0);
  if (real.length === 0) return [{ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" }];
  const { name = "", disks, primary_node } = dice.pick(real);
  const there = [...now.instances()].filter((one) => one.primary_node === primary_node);
  const change = (instance_name: string, disk: JsonObject[string]): JsonObject => ({
    ...{ OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name, disks: [disk], hotplug_if_possible: true },
  });
  const attach = ["attach", -1, { uuid: disks.at(-1) ?? "" }];
  return [change(name, ["detach", -1, {}]), change(dice.pick(there).name ?? "", attach)];
}

/** Opcodes that are refused for running instances. */
const ofStopped: ReadonlySet<string> = new Set([
  ...["OP_INSTANCE_RENAME", "OP_INSTANCE_RECREATE_DISKS", "OP_INSTANCE_REINSTALL"],
]);

function randomOpcode(dice: Dice, now: Snapshot, scope: Scope): JsonObject {
  const instance_name = scope.instance();
  const known = now.findInstance(instance_name);
  if (dice.chance(0.08)) return nodeOpcode(dice, now, scope);
  if (dice.chance(0.08)) return networkOpcode(dice, now);
  if (dice.chance(0.06)) return groupOpcode(dice, now, scope);
  if (known === undefined && dice.chance(0.02)) return importing(dice, instance_name);
  if (known === undefined || dice.chance(0.05)) return creation(dice, now, scope, instance_name);
  const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
    OP_ID,
    instance_name,
    ...more,
  });
  if (known.forthcoming && dice.chance(0.6)) {
    return { ...commit(instance_name), ...(dice.chance(0.7) ? overriding(dice, now) : {}) };
  }
  const isMirrored = now.disksOf(known).some(({ dev_type }) => dev_type === "drbd");
  if (isMirrored && dice.chance(0.3)) return mirrorOpcode(dice, scope, about);
  return dice.pick<() => JsonObject>([
    () => about("OP_INSTANCE_REMOVE", { shutdown_timeout: 0, ignore_failures: dice.chance(0.2) }),
    () => about("OP_INSTANCE_STARTUP"),
    () => about("OP_INSTANCE_STARTUP", { beparams: { minmem: 128, maxmem: 4096 } }),
    () => about("OP_INSTANCE_STARTUP", { beparams: { maxmem: dice.pick([512, 2048, 5120]) } }),
    () => about("OP_INSTANCE_SHUTDOWN", { timeout: 0 }),
    () => about("OP_INSTANCE_REBOOT", { reboot_type: dice.pick(["soft", "hard", "full"]) }),
    () => about("OP_INSTANCE_SET_PARAMS", { beparams: memory(dice) }),
    () => about("OP_INSTANCE_SET_PARAMS", { runtime_mem: dice.pick([256, 512, 1024]) }),
    () => about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", -1, {}]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { disks: [detachment(dice, now)] }),
    () => about("OP_INSTANCE_SET_PARAMS", { nics: [["add", -1, nic(dice, now)]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { nics: [["modify", 0, nic(dice, now)]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { nics: [["remove", -1, {}]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { disk_template: "plain" }),
    () => about("OP_INSTANCE_SET_PARAMS", { disk_template: "drbd", iallocator: "hail" }),
    () =>
      about("OP_INSTANCE_SET_PARAMS", { disk_template: dice.pick(["file", "sharedfile", "rbd"]) }),
    () => about("OP_INSTANCE_GROW_DISK", { disk: 0, amount: 256, wait_for_sync: false }),
    () =>
      about("OP_INSTANCE_FAILOVER", { ignore_consistency: dice.chance(0.5), shutdown_timeout: 0 }),
    () => about("OP_INSTANCE_RECREATE_DISKS"),
    () => about("OP_INSTANCE_RECREATE_DISKS", { disks: [[0, {}]] }),
    () => about("OP_INSTANCE_DEACTIVATE_DISKS", { force: dice.chance(0.2) }),
    () => about("OP_INSTANCE_ACTIVATE_DISKS"),
    () => about("OP_INSTANCE_REINSTALL"),
    () => about("OP_INSTANCE_RENAME", { new_name: dice.pick(names), ...unchecked }),
    () =>
      about("OP_INSTANCE_MOVE", {
        target_node: scope.node(),
        shutdown_timeout: 0,
        ignore_consistency: dice.chance(0.3),
      }),
    () => exporting(dice, scope, instance_name),
    () => exporting(dice, scope, instance_name),
  ])();
}

const mirrorOpcode = (
  dice: Dice,
  scope: Scope,
  about: (OP_ID: string, more?: JsonObject) => JsonObject,
): JsonObject =>
  dice.pick<() => JsonObject>([
    () =>
      about("OP_INSTANCE_MIGRATE", { cleanup: dice.chance(0.3), allow_failover: dice.chance(0.3) }),
    () => about("OP_INSTANCE_REPLACE_DISKS", replacement(dice, scope)),
    () => about("OP_INSTANCE_REPLACE_DISKS", replacement(dice, scope)),
    () => about("OP_INSTANCE_REPAIR"),
  ])();

/** Attaches a detached disk, or detaches the last disk. */
function detachment(dice: Dice, now: Snapshot): JsonObject[string] {
  const free = [...now.disks()].filter(({ uuid }) => now.instanceOfDisk(uuid) === undefined);
  if (free.length === 0 || dice.chance(0.2)) return ["detach", -1, {}];
  return ["attach", -1, { uuid: dice.pick(free).uuid }];
}

/** Memory parameters; with a minimum below the maximum a node gives an instance as much as is free. */
const memory = (dice: Dice): JsonObject =>
  dice.pick<JsonObject>([
    ...[{ memory: 256 }, { memory: 512 }, { memory: 1024 }],
    ...[
      { minmem: 128, maxmem: 1536 },
      { minmem: 256, maxmem: 4096 },
    ],
  ]);

const unchecked = { ip_check: false, name_check: false };

function creation(dice: Dice, now: Snapshot, scope: Scope, instance_name: string): JsonObject {
  const template = dice.pick(["plain", "plain", "drbd", "drbd", ...templates] as const);
  const forthcoming = dice.chance(0.3);
  const place = { iallocator: "hail", forthcoming };
  const size = dice.pick([1024, 2048]);
  const provider = template === "ext" ? { provider: "pvdr1" } : {};
  const isAdopting = template === "blockdev";
  return {
    OP_ID: "OP_INSTANCE_CREATE",
    instance_name,
    mode: "create",
    ...unchecked,
    nics: [nic(dice, now)],
    os_type: "noop+default",
    hypervisor: "kvm",
    disk_template: template,
    disks: [isAdopting ? { adopt: deviceOf(instance_name) } : { size, ...provider }],
    ...(isAdopting ? { pnode: scope.node() } : place),
    beparams: forthcoming ? { memory: dice.pick([256, 3072]) } : memory(dice),
    wait_for_sync: dice.chance(0.5),
    start: dice.chance(0.7),
  };
}

/** Parameters of an import from an export of an instance of this name, if there is one. */
const importing = (dice: Dice, instance_name: string): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name,
  mode: "import",
  ...unchecked,
  disks: [],
  nics: [],
  disk_template: dice.pick(["plain", "drbd", "file", "sharedfile", "rbd"]),
  iallocator: "hail",
  wait_for_sync: dice.chance(0.5),
  start: dice.chance(0.7),
});

/** Creation of an instance with another name from the export. */
function twin(dice: Dice, now: Snapshot, { instance_name, target_node }: JsonObject): JsonObject {
  const free = names.filter((name) => now.findInstance(name) === undefined);
  const from = { src_node: target_node ?? null, src_path: instance_name ?? null };
  // The addresses in the export belong to the original instance.
  return { ...importing(dice, dice.pick(free.length > 0 ? free : names)), ...from, nics: [{}] };
}

/** A NIC in a network, with a pool address or a fixed one; or without a network. */
function nic(dice: Dice, now: Snapshot): JsonObject {
  // The network `pool` belongs to the staged jobs.
  const isUseful = ({ uuid, name }: { readonly uuid: string; readonly name: string }) =>
    name !== "pool" &&
    (dice.chance(0.1) || [...now.groups()].some((group) => uuid in group.networks));
  const networks = [...now.networks()].filter(isUseful);
  if (networks.length === 0 || dice.chance(0.4)) return {};
  const { name, network } = dice.pick(networks);
  const certain = network.replace(/\.0\/.*/, `.${dice.between(1, 4)}`);
  return { network: name, ip: dice.chance(0.7) ? "pool" : certain };
}

export const commit = (instance_name: string): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name,
  commit: true,
  ...unchecked,
  os_type: "noop+default",
  hypervisor: "kvm",
  wait_for_sync: false,
});

/** Values that override some of those of a reservation. */
function overriding(dice: Dice, now: Snapshot): JsonObject {
  const some = (given: JsonObject): JsonObject => (dice.chance(0.5) ? given : {});
  const sizes = Array.from({ length: dice.between(1, 2) }, () => dice.pick([1024, 1536, 2048]));
  return {
    ...some({ disks: sizes.map((size) => ({ size })) }),
    ...some({ nics: Array.from({ length: dice.between(1, 2) }, () => nic(dice, now)) }),
    ...some({ beparams: { memory: dice.pick([256, 512, 1024]), vcpus: dice.between(1, 2) } }),
    ...some({ disk_template: "plain" }),
    ...some({ start: false, tags: ["given"] }),
  };
}

const exporting = (dice: Dice, scope: Scope, instance_name: string): JsonObject => ({
  OP_ID: "OP_BACKUP_EXPORT",
  instance_name,
  mode: "local",
  target_node: scope.node(),
  shutdown: dice.chance(0.5),
  shutdown_timeout: 0,
  ...(dice.chance(0.5) ? { shutdown: true, remove_instance: true } : {}),
});

const replacement = (dice: Dice, scope: Scope): JsonObject =>
  dice.pick<JsonObject>([
    { mode: "replace_on_primary", disks: [] },
    { mode: "replace_on_secondary", disks: [] },
    { mode: "replace_new_secondary", disks: [], iallocator: "hail" },
    {
      mode: "replace_new_secondary",
      disks: [],
      remote_node: scope.node(),
      early_release: dice.chance(0.3),
    },
    { mode: "replace_auto", disks: [] },
  ]);

function nodeOpcode(dice: Dice, now: Snapshot, scope: Scope): JsonObject {
  const node_name = scope.node();
  const { primary_ip } = now.expectNode(node_name);
  const mode = dice.pick(["all", "primary-only", "secondary-only"]);
  return dice.pick<JsonObject>([
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: true },
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: false },
    { OP_ID: "OP_NODE_ADD", node_name, readd: true, primary_ip },
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, drained: dice.chance(0.3) },
    { OP_ID: "OP_NODE_EVACUATE", node_name, mode, iallocator: "hail" },
    { OP_ID: "OP_NODE_EVACUATE", node_name, mode: "secondary-only", iallocator: "hail" },
    { OP_ID: "OP_NODE_MIGRATE", node_name, iallocator: "hail" },
    { OP_ID: "OP_NODE_POWERCYCLE", node_name, force: true },
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, master_candidate: dice.chance(0.5) },
    { OP_ID: "OP_CLUSTER_SET_PARAMS", max_running_jobs: dice.between(1, 20) },
    { OP_ID: "OP_CLUSTER_REDIST_CONF" },
    { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: [`t${dice.between(1, 9)}`], name: null },
  ]);
}

/** Networks that are small enough to fill up. */
const networks = { net1: "198.51.100.0/29", net2: "203.0.113.0/30" };

const connecting = (dice: Dice, now: Snapshot, network_name: Json): JsonObject => ({
  ...{ OP_ID: "OP_NETWORK_CONNECT", network_name, network_mode: "routed", network_link: "100" },
  group_name: dice.pick([...now.groups()].map(({ name }) => name)),
  conflicts_check: dice.chance(0.7),
});

function networkOpcode(dice: Dice, now: Snapshot): JsonObject {
  const network_name = dice.pick(["net1", "net2"] as const);
  const network = networks[network_name];
  const group_name = dice.pick([...now.groups()].map(({ name }) => name));
  const known = now.findNetwork(network_name);
  if (known === undefined) return { OP_ID: "OP_NETWORK_ADD", network_name, network };
  const connection = { network_name, group_name };
  if (dice.chance(0.5)) return connecting(dice, now, network_name);
  const addresses = [network.replace(/\.0\/.*/, `.${dice.between(1, 4)}`)];
  return dice.pick<JsonObject>([
    { OP_ID: "OP_NETWORK_DISCONNECT", ...connection },
    { OP_ID: "OP_NETWORK_REMOVE", network_name },
    { OP_ID: "OP_NETWORK_SET_PARAMS", network_name, add_reserved_ips: addresses },
    { OP_ID: "OP_NETWORK_SET_PARAMS", network_name, remove_reserved_ips: addresses },
    { OP_ID: "OP_NETWORK_RENAME", network_name, new_name: dice.pick(["net1", "net2", "net3"]) },
  ]);
}

function groupOpcode(dice: Dice, now: Snapshot, scope: Scope): JsonObject {
  const group_name = dice.pick(["default", "spare"]);
  const nodes = [scope.node()];
  const spare = now.findGroup("spare");
  if (spare === undefined) return { OP_ID: "OP_GROUP_ADD", group_name: "spare" };
  const isEmpty = ![...now.nodes()].some(({ group }) => group === spare.uuid);
  if (isEmpty && dice.chance(0.7))
    return { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "spare", nodes, force: true };
  return dice.pick<JsonObject>([
    { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name, nodes, force: dice.chance(0.3) },
    { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "default", nodes, force: true },
    { OP_ID: "OP_GROUP_REMOVE", group_name: "spare" },
    { OP_ID: "OP_GROUP_EVACUATE", group_name, iallocator: "hail" },
    { OP_ID: "OP_INSTANCE_CHANGE_GROUP", instance_name: scope.instance(), iallocator: "hail" },
    { OP_ID: "OP_INSTANCE_CHANGE_GROUP", instance_name: scope.instance(), iallocator: "hail" },
  ]);
}
