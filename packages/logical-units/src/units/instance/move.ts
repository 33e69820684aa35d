/** OP_INSTANCE_MOVE: moves an instance to another node by copying its disks there. */

import { filledBeparams, type Snapshot } from "@ganeti-ts/config";
import type { NodeObject, NodeUuid, OpcodeOf, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask } from "../../calls.js";
import { withClaim } from "../../capacity/claim.js";
import { checkRoom, type Demand } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { areChecksAll } from "../../checks-done.js";
import { ExecError, PrereqError } from "../../errors.js";
import { info, warn } from "../../feedback.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { assembleDisks, shutdownDisks } from "../../instance/activation.js";
import { createDisks, removeDisks } from "../../instance/creation.js";
import { isExclusive } from "../../instance/growth.js";
import {
  checkBridges,
  checkNodeNotDrained,
  checkNodeOnline,
  checkNodeVmCapable,
} from "../../instance/node-checks.js";
import { diskOnNode, instanceOnNode } from "../../instance/on-node.js";
import { namedRealInstance, nodeName, realDisksOf } from "../../instance/state.js";
import { checkTargetPolicy } from "../../instance/target-policy.js";
import { transferAll } from "../../instance/transfer/within-cluster.js";
import { asExclusive, instanceLock, withNodes } from "../../locks.js";
import { namedNode } from "../../named-node.js";
import type { Unit, World } from "../../unit.js";

type Op = OpcodeOf<"OP_INSTANCE_MOVE">;

/** Types of disks that are on one node, and can be read as they are. */
const copyable: ReadonlySet<string> = new Set(["plain", "file"]);

export const move: Unit<"OP_INSTANCE_MOVE"> = {
  opcode: "OP_INSTANCE_MOVE",
  hooks: instanceHooks("instance-move", {
    told: (op) => ({ TARGET_NODE: op.target_node, SHUTDOWN_TIMEOUT: op.shutdown_timeout }),
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
    const instance = namedRealInstance(now, op);
    const target = namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid });
    const demands = await checkedDemands(op, world, now, instance, target);
    if (await areChecksAll(world, op)) return null;

    await withClaim(world, demands, async () => {
      await stopAtSource(op, world, now, instance);
      await copyDisks(op, world, now, instance, target);
      await world.config.change((latest) => {
        return { changes: movedTo(latest, instance, target.uuid), value: undefined };
      }, world);
      info(world, "Removing the disks on the original node");
      const after = world.config.snapshot;
      const moved = after.instance(instance.uuid) as RealInstance;
      const node = instance.primary_node;
      await removeDisks(world, after, moved, realDisksOf(after, moved), { node });
      if (moved.admin_state === "up") await startAtTarget(world, moved);
    });
    return null;
  },
};

/** What it takes of the target. @throws PrereqError */
async function checkedDemands(
  op: Op,
  world: World,
  now: Snapshot,
  instance: RealInstance,
  target: NodeObject,
): Promise<readonly Demand[]> {
  const disks = realDisksOf(now, instance);
  for (const [at, { dev_type: type }] of disks.entries()) {
    if (copyable.has(type)) continue;
    const text = `Instance disk ${at} has disk type ${type} and is not suitable for copying`;
    throw new PrereqError("wrong_state", text);
  }
  const { name, hypervisor } = instance;
  if (target.uuid === instance.primary_node) {
    const text = `Instance ${name} is already on the node ${target.name}`;
    throw new PrereqError("wrong_state", text);
  }
  checkNodeOnline(now, target.uuid);
  checkNodeNotDrained(now, target.uuid);
  checkNodeVmCapable(now, target.uuid);
  checkTargetPolicy(world, now, instance, target.uuid, op.ignore_ipolicy);
  const { maxmem: mib, vcpus, spindle_use } = filledBeparams(now, instance);
  const isUp = instance.admin_state === "up";
  const purpose = `failing over instance ${name}`;
  const volumes = volumesOf(disks);
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const demands: readonly Demand[] = [
    {
      ...{ node: target.uuid, volumes, ...(isUp ? { memory: { mib, hypervisor, purpose } } : {}) },
      spindles: isExclusive(now, target.uuid) ? spindles : 0,
      limited: {
        ...{ vcpus: isUp ? vcpus : 0, spindleUse: hasVolumes(volumes) ? spindle_use : 0, purpose },
      },
    },
  ];
  await checkRoom(world, demands);
  if (!isUp) {
    info(world, "Not checking memory on the secondary node as instance will not be started");
  }
  await checkBridges(world, now, instance.nics, target.uuid);
  return demands;
}

async function stopAtSource(
  op: Op,
  world: World,
  now: Snapshot,
  instance: RealInstance,
): Promise<void> {
  const node = nodeName(now, instance.primary_node);
  info(world, `Shutting down instance ${instance.name} on source node ${node}`);
  const answer = await ask(world, instance.primary_node, "instance_shutdown", {
    ...{ instance: instanceOnNode(now, instance), timeoutSeconds: op.shutdown_timeout },
  });
  if (answer.ok) return;
  const text = `Could not shutdown instance ${instance.name} on node ${node}`;
  if (!op.ignore_consistency) throw new ExecError(`${text}: ${answer.message}`);
  const advice = `Proceeding anyway. Please make sure node ${node} is down.`;
  warn(world, `${text}. ${advice} Error details: ${answer.message}`);
}

/** What cannot be copied is removed from the target again. @throws ExecError */
async function copyDisks(
  op: Op,
  world: World,
  now: Snapshot,
  instance: RealInstance,
  target: NodeObject,
): Promise<void> {
  const disks = realDisksOf(now, instance);
  const there = { node: target.uuid };
  try {
    await createDisks(world, now, instance, disks, there);
  } catch (error) {
    if (error instanceof ExecError) warn(world, "Device creation failed");
    throw error;
  }
  const ends = disks.map((disk) => {
    return { kind: "raw-disk", disk: diskOnNode(now, instance, disk) } as const;
  });
  const arrived = await transferAll(
    world,
    now,
    { instance, from: instance.primary_node, to: target.uuid, compress: op.compress },
    ends.map((end, at) => ({ label: `disk/${at}`, source: end, target: end })),
  );
  if (!arrived.includes(false)) return;
  warn(world, "Some disks failed to copy, aborting");
  await removeDisks(world, now, instance, disks, there);
  throw new ExecError("Errors during disk copy: Failed to transfer instance data");
}

/** It is on the target with its disks. */
function movedTo(now: Snapshot, { uuid }: RealInstance, target: NodeUuid) {
  const instance = now.instance(uuid);
  if (instance === undefined || instance.forthcoming) return [];
  const disks = realDisksOf(now, instance).map((disk): RealDisk => ({ ...disk, nodes: [target] }));
  return [
    ...disks.map((object) => ({ kind: "put", type: "disk", object }) as const),
    { kind: "put", type: "instance", object: { ...instance, primary_node: target } } as const,
  ];
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
  const answer = await ask(world, moved.primary_node, "instance_start", {
    ...{ instance: instanceOnNode(world.config.snapshot, moved), startupPaused: false },
  });
  if (answer.ok) return;
  await shutdownDisks(world, moved);
  const text = `Could not start instance ${moved.name} on node ${node}`;
  throw new ExecError(`${text}: ${answer.message}`);
}
