/** OP_NODE_MODIFY_STORAGE and OP_REPAIR_NODE_STORAGE: changes of storage units. */

import { diskOnNode, realDisksOf } from "@ganeti-ts/config";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeObject, NodeUuid, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { nodeName } from "../instance/state.js";
import { ask, valueOrFail, valueOrRefuse, warn } from "../unit/effects.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import { areChecksAll, contextAt, type Unit, type UnitContext, type World } from "../unit/unit.js";
import { checkStorageTypeEnabled, storageArguments } from "./storage-types.js";

/** Modifiable fields by storage type. */
const modifiable: Readonly<Record<string, readonly string[]>> = { "lvm-pv": ["allocatable"] };

export const modifyStorage: Unit<"OP_NODE_MODIFY_STORAGE"> = {
  opcode: "OP_NODE_MODIFY_STORAGE",

  locks: (op, now) => asExclusive(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    checkChanges(op);
    checkStorageTypeEnabled(now.cluster, op.storage_type);
    if (await areChecksAll(world, op)) return null;
    const name = op.name ?? "";
    valueOrFail(
      await ask(world, node.uuid, "storage_modify", {
        ...storageArguments(now.cluster, op.storage_type),
        name,
        changes: op.changes,
      }),
      `Failed to modify storage unit '${name}' on ${node.name}`,
    );
    return null;
  },
};

function checkChanges({ storage_type, changes }: OpcodeOf<"OP_NODE_MODIFY_STORAGE">): void {
  const allowed = modifiable[storage_type];
  if (allowed === undefined) {
    wrongInput(`Storage units of type '${storage_type}' can not be modified`);
  }
  const others = Object.keys(changes).filter((field) => !allowed.includes(field));
  if (others.length === 0) return;
  wrongInput(
    `The following fields can not be modified for storage units of type '${storage_type}': [${others.map((field) => `'${field}'`).join(", ")}]`,
  );
}

type Op = OpcodeOf<"OP_REPAIR_NODE_STORAGE">;

/** OP_REPAIR_NODE_STORAGE: makes a volume group consistent by removing missing physical volumes. */
export const repairStorage: Unit<"OP_REPAIR_NODE_STORAGE"> = {
  opcode: "OP_REPAIR_NODE_STORAGE",

  locks: (op, now) => asExclusive(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    if (op.storage_type !== "lvm-vg") {
      wrongInput(`Storage units of type '${op.storage_type}' can not be repaired`);
    }
    checkStorageTypeEnabled(now.cluster, op.storage_type);
    await checkCopies(contextAt(world, now), op, node);
    if (await areChecksAll(world, op)) return null;
    const name = op.name ?? "";
    world.log(`Repairing storage unit '${name}' on ${node.name} ...`);
    valueOrFail(
      await ask(world, node.uuid, "storage_execute", {
        ...storageArguments(now.cluster, op.storage_type),
        name,
        operation: "fix-consistency",
      }),
      `Failed to repair storage unit '${name}' on ${node.name}`,
    );
    return null;
  },
};

/**
 * Data that the repair would discard must have a good copy elsewhere, also those of instances that are stopped: their
 * mirrors are down, so that the volumes of the other side are looked at.
 */
async function checkCopies(context: UnitContext, op: Op, node: NodeObject): Promise<void> {
  const { now } = context;
  const { primary, secondary } = now.instancesOfNode(node.uuid);
  for (const instance of new Set([...primary, ...secondary])) {
    if (instance.forthcoming) continue;
    const disks = realDisksOf(now, instance);
    const lies = ({ dev_type, logical_id }: DiskEntry): boolean =>
      dev_type === "plain" && logical_id[0] === op.name;
    if (disks.some((disk) => lies(disk) && disk.nodes.includes(node.uuid))) {
      const text = `Instance '${instance.name}' has its only copy on node '${node.name}'`;
      refuseOrWarn(op, context, text);
    }
    const onNode = disks.map((disk) => diskOnNode(now, instance, disk));
    const others = new Set<NodeUuid>(disks.flatMap(({ nodes }) => nodes));
    if (instance.disks_active) others.add(instance.primary_node);
    others.delete(node.uuid);
    const looked = instance.disks_active
      ? onNode
      : onNode
          .map(({ children }) => children ?? [])
          .filter((parts) => parts.some(lies))
          .flat();
    if (looked.length === 0) continue;
    for (const other of others) await checkFaulty(context, op, instance, { node: other, looked });
  }
}

type DiskEntry = Pick<DiskOnNode, "dev_type" | "logical_id">;

interface Look {
  readonly node: NodeUuid;
  /** Mirrors, or the volumes of mirrors that are down. */
  readonly looked: readonly DiskOnNode[];
}

async function checkFaulty(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  { node, looked: disks }: Look,
): Promise<void> {
  const name = nodeName(context.now, node);
  const answer = await ask(context, node, "blockdev_getmirrorstatus", { disks });
  if (!answer.ok && op.ignore_consistency) {
    warn(context, `Failed to get disk status from node ${name}: ${answer.message}`);
    return;
  }
  const found = valueOrRefuse(answer, `Failed to get disk status from node ${name}`);
  if (found.every(({ localDisk }) => localDisk !== "faulty")) return;
  refuseOrWarn(op, context, `Instance '${instance.name}' has faulty disks on node '${name}'`);
}

function refuseOrWarn({ ignore_consistency }: Op, world: World, text: string): void {
  if (!ignore_consistency) wrongState(text);
  warn(world, text);
}
