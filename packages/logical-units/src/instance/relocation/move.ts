/** OP_INSTANCE_MOVE: moves an instance to another node by copying its disks there. */

import type { ConfigChange } from "@ganeti-ts/config";
import { diskOnNode, filledBeparams, instanceOnNode, put, realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { ClaimOf, NodeObject, OpcodeOf, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { isUnmirrored } from "@ganeti-ts/protocol";
import {
  checkUnclaimed,
  claimOf,
  claimOfRemoval,
  claimOfRunning,
  putting,
} from "../../capacity/claim.js";
import { checkRoom, type Demand } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { checkStillClaimed, giveUpClaims, withClaims } from "../../capacity/with-claims.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, info, warn } from "../../unit/effects.js";
import { asExclusive, instanceLock, withNodes } from "../../unit/locks.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongState } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { areChecksAll, contextAt } from "../../unit/unit.js";
import { createDisks, removeDisks } from "../disks/creation.js";
import { isExclusive } from "../disks/growth.js";
import { checkTargetPolicy } from "../parameters/target-policy.js";
import { assembleDisks, shutdownDisks } from "../running/activation.js";
import { startOnNode } from "../running/left-running.js";
import {
  checkBridges,
  checkNodeNotDrained,
  checkNodeOnline,
  checkNodeVmCapable,
} from "../running/node-checks.js";
import { namedRealInstance, nodeName } from "../state.js";
import { transferAll } from "../transfer/within-cluster.js";

type Op = OpcodeOf<"OP_INSTANCE_MOVE">;

export const move: Unit<"OP_INSTANCE_MOVE"> = {
  opcode: "OP_INSTANCE_MOVE",
  hooks: instanceHooks("instance-move", {
    variables: (op) => ({ TARGET_NODE: op.target_node, SHUTDOWN_TIMEOUT: op.shutdown_timeout }),
    nodes: (op, now, { primary_node }) => [primary_node, now.findNode(op.target_node)?.uuid],
  }),

  locks(op, now) {
    const instance = namedRealInstance(now, op);
    const target = namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid });
    const nodes = [instance.primary_node, target.uuid];
    return [...asExclusive(instanceLock(instance)), ...withNodes(nodes, "exclusive")];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const target = namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid });
    const demand = await checkedDemand(context, op, instance, target);
    if (await areChecksAll(world, op)) return null;

    await withClaims(
      world,
      [demand],
      (latest, [mib = 0]) => [claimOnTarget(contextAt(world, latest), instance, demand, mib)],
      async ([claim]) => {
        const isStopped = await stopAtSource(context, op, instance);
        await copyDisks(context, op, instance, target);
        const old = await takeToTarget(world, instance, claim as ClaimOf<"space">, isStopped);
        info(world, "Removing the disks on the original node");
        const after = world.config.snapshot;
        const moved = after.instance(instance.uuid) as RealInstance;
        const node = instance.primary_node;
        const disks = realDisksOf(after, moved);
        const { left } = await removeDisks(contextAt(world, after), moved, disks, { node });
        if (isStopped && left.length === 0) await giveUpClaims(world, [old]);
        if (moved.admin_state === "up") await startAtTarget(world, moved);
      },
    );
    return null;
  },
};

/** Also holds the future names of the disks on the target. @throws PrereqError */
function claimOnTarget(
  context: UnitContext,
  instance: RealInstance,
  demand: Demand,
  mib: number,
): ClaimOf<"space"> {
  const disks = realDisksOf(context.now, instance);
  checkUnclaimed(context.now, demand.node, disks);
  return claimOf(context, demand, mib, disks);
}

/**
 * Records the instance at the target after its disks are copied; only its memory stays claimed
 * there. Returns the claim on the devices left at the source.
 */
async function takeToTarget(
  world: World,
  { uuid, primary_node: source }: RealInstance,
  claim: ClaimOf<"space">,
  isStopped: boolean,
): Promise<ClaimOf<"removal">> {
  const { value } = await world.config.change((now) => {
    checkStillClaimed(now, claim);
    const held = now.claim(claim.uuid) as ClaimOf<"space">;
    const { node: target } = held;
    const instance = now.instance(uuid) as RealInstance;
    const disks = realDisksOf(now, instance);
    const then = contextAt(world, now);
    const devices = claimOfRemoval(then, source, disks);
    const old = isStopped ? devices : claimOfRunning(then, source, instance, devices);
    const moved = { ...instance, primary_node: target } as RealInstance;
    const changes: readonly ConfigChange[] = [
      ...disks.map((disk) => {
        const object: RealDisk = { ...disk, nodes: [moved.primary_node] };
        return put("disk", object);
      }),
      put("instance", moved),
      putting(old),
      putting({ ...held, disks: [], diskSpindles: 0, spindleUse: 0 }),
    ];
    return { changes, value: old };
  }, world);
  return value;
}

/** Resources needed at the target. @throws PrereqError */
async function checkedDemand(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  target: NodeObject,
): Promise<Demand> {
  const { now } = context;
  const disks = realDisksOf(now, instance);
  for (const [at, { dev_type: type }] of disks.entries()) {
    if (isUnmirrored(type)) continue;
    wrongState(`Instance disk ${at} has disk type ${type} and is not suitable for copying`);
  }
  const { name, hypervisor } = instance;
  if (target.uuid === instance.primary_node) {
    wrongState(`Instance ${name} is already on the node ${target.name}`);
  }
  checkNodeOnline(now, target.uuid);
  checkNodeNotDrained(now, target.uuid);
  checkNodeVmCapable(now, target.uuid);
  checkTargetPolicy(context, instance, target.uuid, op.ignore_ipolicy);
  const { maxmem: mib, vcpus, spindle_use } = filledBeparams(now, instance);
  const isUp = instance.admin_state === "up";
  const purpose = `failing over instance ${name}`;
  const volumes = volumesOf(disks);
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const demand: Demand = {
    node: target.uuid,
    volumes,
    ...(isUp ? { memory: { mib, hypervisor, purpose } } : {}),
    spindles: isExclusive(now, target.uuid) ? spindles : 0,
    limited: {
      vcpus: isUp ? vcpus : 0,
      spindleUse: hasVolumes(volumes) ? spindle_use : 0,
      purpose,
    },
  };
  await checkRoom(context, [demand]);
  if (!isUp) {
    info(context, "Not checking memory on the secondary node as instance will not be started");
  }
  await checkBridges(context, instance.nics, target.uuid);
  return demand;
}

/** Whether the source has stopped the instance. @throws ExecError */
async function stopAtSource(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
): Promise<boolean> {
  const node = nodeName(context.now, instance.primary_node);
  info(context, `Shutting down instance ${instance.name} on source node ${node}`);
  const answer = await ask(context, instance.primary_node, "instance_shutdown", {
    instance: instanceOnNode(context.now, instance),
    timeoutSeconds: op.shutdown_timeout,
    reason: op.reason,
  });
  if (answer.ok) return true;
  const text = `Could not shutdown instance ${instance.name} on node ${node}`;
  if (!op.ignore_consistency) throw new ExecError(`${text}: ${answer.message}`);
  const advice = `Proceeding anyway. Please make sure node ${node} is down.`;
  warn(context, `${text}. ${advice} Error details: ${answer.message}`);
  return false;
}

/** A failed copy removes the disks from the target. @throws ExecError */
async function copyDisks(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  target: NodeObject,
): Promise<void> {
  const disks = realDisksOf(context.now, instance);
  const there = { node: target.uuid };
  try {
    await createDisks(context, instance, disks, there);
  } catch (error) {
    if (error instanceof ExecError) warn(context, "Device creation failed");
    throw error;
  }
  const ends = disks.map((disk) => {
    return { kind: "raw-disk", disk: diskOnNode(context.now, instance, disk) } as const;
  });
  const arrived = await transferAll(
    context,
    { instance, from: instance.primary_node, to: target.uuid, compress: op.compress },
    ends.map((end, at) => ({ label: `disk/${at}`, source: end, target: end })),
  );
  if (!arrived.includes(false)) return;
  warn(context, "Some disks failed to copy, aborting");
  await removeDisks(context, instance, disks, there);
  throw new ExecError("Errors during disk copy: Failed to transfer instance data");
}

async function startAtTarget(world: World, moved: RealInstance): Promise<void> {
  const now = world.config.snapshot;
  const node = nodeName(now, moved.primary_node);
  info(world, `Starting instance ${moved.name} on node ${node}`);
  const { ok } = await assembleDisks(world, moved, { ignoreSecondaries: true });
  if (!ok) {
    await shutdownDisks(world, moved);
    throw new ExecError("Can't activate the instance's disks");
  }
  const answer = await startOnNode(world, moved.primary_node, {
    instance: instanceOnNode(world.config.snapshot, moved),
  });
  if (answer.ok) return;
  await shutdownDisks(world, moved);
  const text = `Could not start instance ${moved.name} on node ${node}`;
  throw new ExecError(`${text}: ${answer.message}`);
}
