// What administrators do: anything they may, at any time.
import type { Snapshot } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit";

const names = ["a", "b", "c", "d"].map((name) => `${name}.example.com`);

/** One opcode, by what there seems to be. */
export function randomOpcode(dice: Dice, now: Snapshot): JsonObject {
  const instance_name = dice.pick(names);
  const known = now.findInstance(instance_name);
  if (dice.chance(0.08)) return nodeOpcode(dice, now);
  if (known === undefined || dice.chance(0.05)) return creation(dice, instance_name);
  const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
    ...{ OP_ID, instance_name, ...more },
  });
  if (known.forthcoming && dice.chance(0.6)) return commit(instance_name);
  return dice.pick<() => JsonObject>([
    () => about("OP_INSTANCE_REMOVE", { shutdown_timeout: 0, ignore_failures: dice.chance(0.2) }),
    () => about("OP_INSTANCE_STARTUP"),
    () => about("OP_INSTANCE_SHUTDOWN", { timeout: 0 }),
    () => about("OP_INSTANCE_REBOOT", { reboot_type: dice.pick(["soft", "hard", "full"]) }),
    () => about("OP_INSTANCE_SET_PARAMS", { beparams: { memory: dice.pick([256, 512, 1024]) } }),
    () => about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", -1, {}]] }),
    () => about("OP_INSTANCE_SET_PARAMS", { disk_template: "plain" }),
    () => about("OP_INSTANCE_SET_PARAMS", { disk_template: "drbd", iallocator: "hail" }),
    () => about("OP_INSTANCE_GROW_DISK", { disk: 0, amount: 256, wait_for_sync: false }),
    () =>
      about("OP_INSTANCE_MIGRATE", { cleanup: dice.chance(0.3), allow_failover: dice.chance(0.3) }),
    () =>
      about("OP_INSTANCE_FAILOVER", { ignore_consistency: dice.chance(0.5), shutdown_timeout: 0 }),
    () => about("OP_INSTANCE_REPLACE_DISKS", replacement(dice)),
    () => about("OP_INSTANCE_RECREATE_DISKS"),
    () => about("OP_INSTANCE_ACTIVATE_DISKS"),
    () => about("OP_INSTANCE_REINSTALL"),
    () => about("OP_INSTANCE_RENAME", { new_name: dice.pick(names), ...unchecked }),
    () => about("OP_INSTANCE_MOVE", { target_node: someNode(dice, now), shutdown_timeout: 0 }),
  ])();
}

const unchecked = { ip_check: false, name_check: false };

const someNode = (dice: Dice, now: Snapshot): string =>
  dice.pick([...now.nodes()].map(({ name }) => name));

function creation(dice: Dice, instance_name: string): JsonObject {
  return {
    ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name, mode: "create", nics: [{}], ...unchecked },
    ...{ os_type: "noop+default", hypervisor: "kvm", disk_template: dice.pick(["plain", "drbd"]) },
    ...{ disks: [{ size: dice.pick([1024, 2048]) }], iallocator: "hail" },
    ...{ beparams: { memory: dice.pick([256, 512]) }, forthcoming: dice.chance(0.3) },
    ...{ wait_for_sync: dice.chance(0.5), start: dice.chance(0.7) },
  };
}

export const commit = (instance_name: string): JsonObject => ({
  ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name, commit: true, ...unchecked },
  ...{ os_type: "noop+default", hypervisor: "kvm", wait_for_sync: false },
});

const replacement = (dice: Dice): JsonObject =>
  dice.pick<JsonObject>([
    { mode: "replace_on_primary", disks: [] },
    { mode: "replace_on_secondary", disks: [] },
    { mode: "replace_new_secondary", disks: [], iallocator: "hail" },
    { mode: "replace_auto", disks: [] },
  ]);

function nodeOpcode(dice: Dice, now: Snapshot): JsonObject {
  const node_name = someNode(dice, now);
  return dice.pick<JsonObject>([
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: true },
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, offline: false },
    { OP_ID: "OP_NODE_SET_PARAMS", node_name, drained: dice.chance(0.3) },
    { OP_ID: "OP_NODE_EVACUATE", node_name, mode: "all", iallocator: "hail" },
    { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: [`t${dice.between(1, 9)}`], name: null },
  ]);
}
