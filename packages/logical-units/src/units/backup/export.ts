/** OP_BACKUP_EXPORT: an instance's disks as an export on a node. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../calls.js";
import { ExecError, PrereqError } from "../../errors.js";
import { isDryRun, warn } from "../../feedback.js";
import { shutdownDisks, startDisks } from "../../instance/activation.js";
import { checkNodeNotDrained, checkNodeOnline } from "../../instance/node-checks.js";
import { diskOnNode, instanceOnNode } from "../../instance/on-node.js";
import { namedRealInstance, nodeName, realDisksOf } from "../../instance/state.js";
import { asExclusive, instanceLock, nodeLock } from "../../locks.js";
import { namedNode } from "../../named-node.js";
import type { DiskOnNode } from "../../nodes/objects.js";
import type { Unit, World } from "../../unit.js";
import { exportDescription } from "./description.js";
import { noRemoteExports } from "./prepare.js";
import { removeSnapshots, takeSnapshots } from "./snapshots.js";
import { transferAll } from "./transfers.js";

type Op = OpcodeOf<"OP_BACKUP_EXPORT">;

export const exportInstance: Unit<"OP_BACKUP_EXPORT"> = {
  opcode: "OP_BACKUP_EXPORT",

  // All nodes: an earlier export may be on any of them.
  locks: (op, now) =>
    asExclusive(
      instanceLock(namedRealInstance(now, op)),
      ...[...now.nodes()].map(({ uuid }) => nodeLock(uuid)),
    ),

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    const target = check(op, now, instance);
    if (isDryRun(world, op)) return null;
    const outcome = await carryOut(op, world, instance, target);
    if (!outcome.isFinal || outcome.disks.includes(false)) throw failure(outcome);
    await removeOlder(world, now, instance, target);
    return [outcome.isFinal, [...outcome.disks]];
  },
};

interface Outcome {
  /** The export has taken its place. */
  readonly isFinal: boolean;
  /** By disk: whether it arrived. */
  readonly disks: readonly boolean[];
}

/** The node to export to. */
function check(op: Op, now: Snapshot, instance: RealInstance): NodeObject {
  if (op.mode === "remote" || typeof op.target_node !== "string") throw noRemoteExports();
  if (op.remove_instance) {
    throw new PrereqError("wrong_input", "Remove the instance by a job of its own, after this one");
  }
  if (op.zero_free_space) {
    throw new PrereqError(
      "wrong_input",
      "Zeroing free space needs a helper instance, which is not supported",
    );
  }
  checkNodeOnline(now, instance.primary_node);
  const target = namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid });
  checkNodeOnline(now, target.uuid);
  checkNodeNotDrained(now, target.uuid);
  if (op.zeroing_timeout_fixed !== undefined || op.zeroing_timeout_per_mib !== undefined) {
    throw new PrereqError(
      "wrong_input",
      "Zeroing timeout options can only be used only with the --zero-free-space option",
    );
  }
  if (op.long_sleep && !op.shutdown) {
    throw new PrereqError(
      "wrong_input",
      "The long sleep option only makes sense when the instance can be shut down.",
    );
  }
  const { compression_tools: tools } = now.cluster;
  if (op.compress !== "none" && !tools.includes(op.compress)) {
    throw new PrereqError(
      "wrong_input",
      `Compression tool not allowed, tools allowed are [${tools.join(", ")}]`,
    );
  }
  return target;
}

/** Disks are brought up for it where they are down, and down again. */
async function carryOut(
  op: Op,
  world: World,
  instance: RealInstance,
  target: NodeObject,
): Promise<Outcome> {
  const now = world.config.snapshot;
  const { name, primary_node: source, admin_state, disks_active } = instance;
  if (op.shutdown) {
    world.log(`Shutting down instance ${name}`);
    valueOrFail(
      await ask(world, source, "instance_shutdown", {
        instance: instanceOnNode(now, instance),
        timeoutSeconds: op.shutdown_timeout,
      }),
      `Could not shutdown instance ${name} on node ${nodeName(now, source)}`,
    );
  }
  if (!disks_active) {
    world.log(`Activating disks for ${name}`);
    await startDisks(world, instance, null);
  }
  try {
    const isUp = admin_state === "up";
    const snapshots = isUp ? await snapshotsFor(op, world, now, instance) : undefined;
    try {
      const startsAgain = op.shutdown && isUp;
      if (startsAgain && snapshots !== undefined) await startAgain(world, now, instance);
      const outcome = await exportDisks(op, world, now, instance, target, snapshots);
      if (startsAgain && snapshots === undefined) await startAgain(world, now, instance);
      return outcome;
    } finally {
      await removeSnapshots(world, now, instance, snapshots ?? []);
    }
  } finally {
    if (!disks_active) {
      world.log(`Deactivating disks for ${name}`);
      await shutdownDisks(world, instance);
    }
  }
}

async function snapshotsFor(op: Op, world: World, now: Snapshot, instance: RealInstance) {
  const taken = await takeSnapshots(world, now, instance, realDisksOf(now, instance));
  if (taken !== undefined) return taken;
  if (!op.shutdown) {
    throw new ExecError(
      "Not all disks could be snapshotted, and you requested a live export; aborting",
    );
  }
  if (!op.long_sleep) {
    throw new ExecError(
      "Not all disks could be snapshotted, and you did not allow the instance to remain offline for a longer time through the --long-sleep option; aborting",
    );
  }
  return undefined;
}

async function startAgain(world: World, now: Snapshot, instance: RealInstance): Promise<void> {
  world.log(`Starting instance ${instance.name}`);
  const answer = await ask(world, instance.primary_node, "instance_start", {
    instance: instanceOnNode(now, instance),
    startupPaused: false,
  });
  if (answer.ok) return;
  world.log(`Failed to start instance: ${answer.message}`);
  await shutdownDisks(world, instance);
  throw new ExecError(`Could not start instance: ${answer.message}`);
}

async function exportDisks(
  op: Op,
  world: World,
  now: Snapshot,
  instance: RealInstance,
  target: NodeObject,
  snapshots: readonly DiskOnNode[] | undefined,
): Promise<Outcome> {
  const disks = realDisksOf(now, instance);
  const sent = snapshots ?? disks.map((disk) => diskOnNode(now, instance, disk));
  const transfers = sent.map((disk, index) => ({
    label: `${snapshots === undefined ? "disk" : "snapshot"}/${index}`,
    source:
      instance.os === ""
        ? ({ kind: "raw-disk", disk } as const)
        : ({ kind: "script", disk, index } as const),
    target: { kind: "file", path: `${instance.name}.new/${disk.uuid}` } as const,
  }));
  const arrived = await transferAll(world, now, instance, target, op.compress, transfers);
  if (arrived.includes(false)) {
    const text = "Some disk exports have failed; there may be leftover data for instance";
    warn(world, `${text} ${instance.name} on node ${target.name}`);
    return { isFinal: false, disks: arrived };
  }
  world.log(`Finalizing export on ${target.name}`);
  const seconds = world.clock.wallMicros() / 1e6;
  const answer = await ask(world, target.uuid, "finalize_export", {
    instance: instanceOnNode(now, instance),
    disks: sent,
    description: exportDescription(
      now,
      instance,
      disks.map((disk, index) => ({ disk, dump: sent[index]?.uuid ?? "" })),
      seconds,
    ),
  });
  if (!answer.ok) {
    const text = `Could not finalize export for instance ${instance.name} on node ${target.name}`;
    warn(world, `${text}: ${answer.message}`);
  }
  return { isFinal: answer.ok, disks: arrived };
}

function failure({ isFinal, disks }: Outcome): ExecError {
  const failed = [...disks.entries()].flatMap(([index, arrived]) => (arrived ? [] : [index]));
  const parts = [
    ...(isFinal ? [] : ["export finalization"]),
    ...(failed.length === 0 ? [] : [`disk export: disk(s) ${failed.join(", ")}`]),
  ];
  return new ExecError(`Export failed, errors in ${parts.join(", ")}`);
}

/** An instance has one export: those on other nodes go. */
async function removeOlder(
  world: World,
  now: Snapshot,
  { name }: RealInstance,
  target: NodeObject,
): Promise<void> {
  const others = [...now.nodes()].filter(({ uuid }) => uuid !== target.uuid);
  if (others.length > 0) world.log(`Removing old exports for instance ${name}`);
  for (const node of others) {
    const exports = await ask(world, node.uuid, "export_list", {});
    if (!exports.ok || !exports.value.includes(name)) continue;
    const removed = await ask(world, node.uuid, "export_remove", { name });
    if (removed.ok) continue;
    const text = `Could not remove older export for instance ${name} on node ${node.name}`;
    warn(world, `${text}: ${removed.message}`);
  }
}
