/** Target of a relocation that copies no data, and the locks for it. */
import { type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { refusalWithoutCode } from "@ganeti-ts/job-queue";
import type { LockRequest } from "@ganeti-ts/locking";
import { type InstanceObject, isMirrored, isShared, type NodeUuid } from "@ganeti-ts/protocol";
import { info } from "../../unit/effects.js";
import {
  asExclusive,
  instanceLock,
  nodeLock,
  nodeResourceLock,
  withNodes,
} from "../../unit/locks.js";
import { namedNode } from "../../unit/nodes.js";
import { configurationError, wrongInput, wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { checkTargetPolicy } from "../parameters/target-policy.js";
import { nodeName, shownName } from "../state.js";

export interface RelocationOp {
  readonly target_node?: string | undefined;
  readonly target_node_uuid?: string | undefined;
  readonly iallocator?: string | undefined;
  readonly ignore_ipolicy: boolean;
}

/**
 * The nodes of a mirror; on shared storage the primary and the target, or all nodes if an allocator
 * chooses. A reservation needs no node locks.
 */
export function relocationLocks(
  op: RelocationOp,
  now: Snapshot,
  instance: InstanceObject,
): readonly LockRequest[] {
  const own = asExclusive(instanceLock(instance));
  const target = givenTarget(op, now);
  if (instance.forthcoming) return own;
  const nodes = isOnSharedStorage(now, instance)
    ? target === undefined
      ? [...now.nodes()].map(({ uuid }) => uuid)
      : [instance.primary_node, target]
    : [instance.primary_node, ...secondaryNodes(now, instance)];
  return [...own, ...withNodes(nodes, "exclusive")];
}

/** @throws PrereqError, ConfigError */
function givenTarget(op: RelocationOp, now: Snapshot): NodeUuid | undefined {
  if (op.target_node === undefined) return undefined;
  return namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid }).uuid;
}

/** A disk without a type will have the default one. */
const typesOf = (now: Snapshot, instance: InstanceObject): readonly string[] =>
  now
    .disksOf(instance)
    .map(({ dev_type }) => dev_type ?? now.cluster.enabled_disk_templates[0] ?? "plain");

/** Whether every node reaches all disks; true for an instance without disks. */
export const isOnSharedStorage = (now: Snapshot, instance: InstanceObject): boolean =>
  typesOf(now, instance).every(isShared);

export const hasMirrors = (now: Snapshot, instance: InstanceObject): boolean =>
  typesOf(now, instance).some(isMirrored);

/** Completes error texts: `Instance's disk layout 'plain' does not allow failovers`. */
export type Relocating = "failovers" | "migrations";

/** The target: the mirror's other node, the given one, or the one chosen by an allocator. @throws PrereqError */
export async function relocationTarget(
  context: UnitContext,
  instance: InstanceObject & { readonly primary_node: NodeUuid },
  op: RelocationOp,
  relocating: Relocating,
): Promise<NodeUuid> {
  const { now } = context;
  const types = typesOf(now, instance);
  const local = types.filter((type) => !isMirrored(type) && !isShared(type));
  if (local.length > 0) {
    const layout = [...new Set(local)].join(", ");
    wrongState(`Instance's disk layout '${layout}' does not allow ${relocating}`);
  }
  if (types.every(isShared)) return sharedStorageTarget(context, instance, op);
  if (!types.every(isMirrored)) {
    // Ganeti's error has no code here.
    throw refusalWithoutCode(
      "Instance mixes internal and external mirroring. This is not currently supported.",
    );
  }
  const [target] = secondaryNodes(now, instance);
  if (target === undefined) {
    throw configurationError("No secondary node but using drbd disk types");
  }
  const given = givenTarget(op, now);
  if (op.iallocator !== undefined || (given !== undefined && given !== target)) {
    const done = relocating === "failovers" ? "failed over" : "migrated";
    wrongInput(
      `Instances with disk types drbd cannot be ${done} to arbitrary nodes` +
        " (neither an iallocator nor a target node can be passed)",
    );
  }
  checkTargetPolicy(context, instance, target, op.ignore_ipolicy);
  return target;
}

async function sharedStorageTarget(
  context: UnitContext,
  instance: InstanceObject & { readonly primary_node: NodeUuid },
  op: RelocationOp,
): Promise<NodeUuid> {
  const { now } = context;
  const given = givenTarget(op, now);
  if (given !== undefined && op.iallocator !== undefined) {
    wrongInput("Do not specify both, iallocator and node");
  }
  const target = given ?? (await chosenTarget(context, instance, op));
  checkTargetPolicy(context, instance, target, op.ignore_ipolicy);
  if (target === instance.primary_node) {
    const where = `its primary (${nodeName(now, target)})`;
    wrongState(`Cannot migrate instance ${shownName(instance)} to ${where}`);
  }
  return target;
}

/** Whether an allocator chooses the target. */
export const isTargetChosen = (
  now: Snapshot,
  instance: InstanceObject,
  op: RelocationOp,
): boolean => isOnSharedStorage(now, instance) && givenTarget(op, now) === undefined;

/** Releases the locks of nodes that were possible targets. */
export async function releaseOtherTargets(
  context: UnitContext,
  { primary_node }: InstanceObject,
  target: NodeUuid,
): Promise<void> {
  const others = [...context.now.nodes()].filter(
    ({ uuid }) => uuid !== primary_node && uuid !== target,
  );
  await context.release(others.flatMap(({ uuid }) => [nodeLock(uuid), nodeResourceLock(uuid)]));
}

async function chosenTarget(
  context: UnitContext,
  instance: InstanceObject,
  op: RelocationOp,
): Promise<NodeUuid> {
  const { allocator, nodes } = await context.allocators.relocate(
    { now: context.now, caller: context, iallocator: op.iallocator },
    instance.uuid,
  );
  const [chosen = ""] = nodes;
  info(
    context,
    `Selected nodes for instance ${shownName(instance)} via iallocator ${allocator}: ${nodes.join(", ")}`,
  );
  return context.now.expectNode(chosen).uuid;
}
