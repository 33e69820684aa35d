/** OP_REPAIR_NODE_STORAGE: makes a volume group consistent by removing missing physical volumes. */

import { diskOnNode, realDisksOf } from "@ganeti-ts/config";
import { PrereqError, refuse } from "@ganeti-ts/job-queue";
import type { NodeObject, NodeUuid, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { nodeName } from "../instance/state.js";
import { ask, valueOrFail, valueOrRefuse } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { warn } from "../unit/feedback.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import { namedNode } from "../unit/named-node.js";
import type { Unit, World } from "../unit/unit.js";
import { checkStorageTypeEnabled, storageArguments } from "./storage-types.js";

type Op = OpcodeOf<"OP_REPAIR_NODE_STORAGE">;

export const repairStorage: Unit<"OP_REPAIR_NODE_STORAGE"> = {
  opcode: "OP_REPAIR_NODE_STORAGE",

  locks: (op, now) => asExclusive(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    if (op.storage_type !== "lvm-vg") {
      const text = `Storage units of type '${op.storage_type}' can not be repaired`;
      throw new PrereqError("wrong_input", text);
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

/** Data that the repair would discard must have a good copy elsewhere. */
async function checkCopies(context: UnitContext, op: Op, node: NodeObject): Promise<void> {
  const { primary, secondary } = context.now.instancesOfNode(node.uuid);
  const instances = new Set([...primary, ...secondary]);
  for (const instance of instances) {
    if (instance.forthcoming || !instance.disks_active) continue;
    const disks = realDisksOf(context.now, instance);
    const local = disks.filter(({ dev_type }) => dev_type === "plain");
    if (local.some(({ nodes }) => nodes.includes(node.uuid))) {
      refuseOrWarn(
        op,
        context,
        `Instance '${instance.name}' has its only copy on node '${node.name}'`,
      );
    }
    const others = new Set<NodeUuid>(disks.flatMap(({ nodes }) => nodes));
    others.add(instance.primary_node);
    others.delete(node.uuid);
    for (const other of others) await checkFaulty(context, op, instance, other);
  }
}

async function checkFaulty(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  node: NodeUuid,
): Promise<void> {
  const { now } = context;
  const disks = realDisksOf(now, instance).map((disk) => diskOnNode(now, instance, disk));
  const answer = await ask(context, node, "blockdev_getmirrorstatus", { disks });
  if (!answer.ok && op.ignore_consistency) {
    warn(context, `Failed to get disk status from node ${nodeName(now, node)}: ${answer.message}`);
    return;
  }
  const found = valueOrRefuse(answer, `Failed to get disk status from node ${nodeName(now, node)}`);
  if (found.every(({ localDisk }) => localDisk !== "faulty")) return;
  refuseOrWarn(
    op,
    context,
    `Instance '${instance.name}' has faulty disks on node '${nodeName(now, node)}'`,
  );
}

function refuseOrWarn({ ignore_consistency }: Op, world: World, text: string): void {
  if (!ignore_consistency) refuse("wrong_state", text);
  warn(world, text);
}
