/** OP_BACKUP_EXPORT: an instance's disks as an export on a node, or on their way to another cluster. */

import { diskOnNode, instanceOnNode, realDisksOf, secondaryNodes } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import { type DiskOnNode, failed } from "@ganeti-ts/node-calls";
import type { Claim, NodeObject, RealInstance } from "@ganeti-ts/protocol";
import { checkNoExport, claimOfExport } from "../capacity/claim.js";
import {
  abandoningOnFailure,
  giveUpClaims,
  startingOf,
  takeClaims,
  whileStarting,
} from "../capacity/with-claims.js";
import { instanceHooks } from "../hooks/instance-hooks.js";
import { shutdownDisks, startDisks } from "../instance/running/activation.js";
import { startOnNode } from "../instance/running/left-running.js";
import { namedRealInstance, nodeName } from "../instance/state.js";
import { runWithHelperVm } from "../instance/system/helper-vm.js";
import { removeWithDisks } from "../instance/system/remove.js";
import { sendDisks } from "../instance/transfer/between-clusters.js";
import { transferAll } from "../instance/transfer/within-cluster.js";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive, instanceLock, nodeLock, withNodes } from "../unit/locks.js";
import { areChecksAll, contextAt, type Unit, type UnitContext, type World } from "../unit/unit.js";
import { checkedExport, type ExportOp, type ExportTarget, exportNode } from "./export-checks.js";
import { claimOfSnapshots, removeSnapshots, takeSnapshots } from "./snapshots.js";

/** Connection timeout (s) of the receiving cluster. */
const connectTimeoutSeconds = 180;

export const exportInstance: Unit<"OP_BACKUP_EXPORT"> = {
  opcode: "OP_BACKUP_EXPORT",
  hooks: instanceHooks("instance-export", {
    variables: (op) => ({
      EXPORT_MODE: op.mode,
      EXPORT_NODE: op.target_node,
      EXPORT_DO_SHUTDOWN: op.shutdown,
      SHUTDOWN_TIMEOUT: op.shutdown_timeout,
      REMOVE_INSTANCE: op.remove_instance,
    }),
    nodes: (op, now, { primary_node }) => [
      primary_node,
      op.mode === "local" ? exportNode(op, now).uuid : undefined,
    ],
  }),

  // All nodes: an earlier export may be on any of them.
  locks(op, now) {
    const instance = namedRealInstance(now, op);
    const own = asExclusive(instanceLock(instance));
    if (op.mode === "local") {
      exportNode(op, now);
      return [...own, ...asExclusive(...[...now.nodes()].map(({ uuid }) => nodeLock(uuid)))];
    }
    if (!op.remove_instance) {
      // The helper VM takes capacity of the node.
      return op.zero_free_space ? [...own, ...asExclusive(nodeLock(instance.primary_node))] : own;
    }
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    return [...own, ...withNodes(nodes, "exclusive")];
  },

  /** Result: whether the export was finalized, and for each disk whether it arrived. */
  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const target = await checkedExport(context, op, instance);
    if (await areChecksAll(world, op)) return null;
    const outcome = await carryOut(op, world, instance, target);
    if (op.remove_instance) await removeExported(op, world, instance);
    if (target.kind === "node") await removeOlder(context, instance, target.node);
    return [outcome.isFinal, [...outcome.disks]];
  },
};

interface Outcome {
  /** The export has replaced earlier ones. */
  readonly isFinal: boolean;
  /** By disk: whether it arrived. */
  readonly disks: readonly boolean[];
  readonly areSnapshotsGone?: boolean;
}

/**
 * Holds a claim on the snapshots and the folder meanwhile. @throws ExecError unless everything
 * arrives
 */
async function carryOut(
  op: ExportOp,
  world: World,
  instance: RealInstance,
  target: ExportTarget,
): Promise<Outcome> {
  const context = contextAt(world, world.config.snapshot);
  const isUp = instance.admin_state === "up" && !op.remove_instance;
  const claims = await takeClaims<Claim>(world, [], (now) => {
    const latest = contextAt(world, now);
    return [
      ...(isUp ? [claimOfSnapshots(latest, instance)] : []),
      ...(target.kind === "node" ? [claimOnFolder(latest, instance, target.node)] : []),
    ];
  });
  const outcome = await abandoningOnFailure(world, claims, async () => {
    const came = await withDisksUp(context, op, instance, () =>
      exportWith(context, { op, instance, target }, isUp),
    );
    if (!came.isFinal || came.disks.includes(false)) throw failure(came);
    return came;
  });
  await giveUpClaims(world, outcome.areSnapshotsGone ? claims : claims.slice(1));
  return outcome;
}

/**
 * Runs the work with active disks, after stopping the instance if requested. Disks that were
 * inactive are deactivated afterwards.
 */
async function withDisksUp<T>(
  context: UnitContext,
  op: ExportOp,
  instance: RealInstance,
  work: () => Promise<T>,
): Promise<T> {
  const { name, primary_node: source, disks_active } = instance;
  if (op.shutdown) {
    context.log(`Shutting down instance ${name}`);
    valueOrFail(
      await ask(context, source, "instance_shutdown", {
        instance: instanceOnNode(context.now, instance),
        timeoutSeconds: op.shutdown_timeout,
        reason: op.reason,
      }),
      `Could not shutdown instance ${name} on node ${nodeName(context.now, source)}`,
    );
  }
  if (op.zero_free_space) await zeroFreeSpace(op, context, instance);
  // The helper VM deactivates them.
  if (!disks_active || op.zero_free_space) {
    context.log(`Activating disks for ${name}`);
    await startDisks(context, instance, null);
  }
  try {
    return await work();
  } finally {
    if (!disks_active) {
      context.log(`Deactivating disks for ${name}`);
      await shutdownDisks(context, instance);
    }
  }
}

/**
 * @throws PrereqError `temp_insufficient_resources` while an export of the instance by a dead job
 * is still on the node
 */
function claimOnFolder(context: UnitContext, { name }: RealInstance, { uuid }: NodeObject): Claim {
  checkNoExport(context.now, uuid, name);
  return claimOfExport(context, uuid, name);
}

/** An export of one instance to one target. */
interface Export {
  readonly op: ExportOp;
  readonly instance: RealInstance;
  readonly target: ExportTarget;
}

/** Snapshots of an instance that is up are taken first, and removed last. @throws ExecError */
async function exportWith(context: UnitContext, task: Export, isUp: boolean): Promise<Outcome> {
  const { op, instance } = task;
  const snapshots = isUp ? await snapshotsFor(context, op, instance) : undefined;
  let areSnapshotsGone = false;
  let outcome: Outcome;
  try {
    const startsAgain = op.shutdown && isUp;
    if (startsAgain && snapshots !== undefined) await startAgain(context, instance);
    outcome = await exportDisks(context, task, snapshots);
    if (startsAgain && snapshots === undefined) await startAgain(context, instance);
  } finally {
    areSnapshotsGone = await removeSnapshots(context, instance, snapshots ?? []);
  }
  return { ...outcome, areSnapshotsGone };
}

/** Timeout (s) for the zeroing helper VM: a fixed part and a part for each MiB of disk. */
const zeroing = { fixed: 300, perMib: 0.05 };

function zeroFreeSpace(op: ExportOp, world: World, instance: RealInstance): Promise<void> {
  const now = world.config.snapshot;
  const sizeMib = realDisksOf(now, instance).reduce((sum, { size }) => sum + size, 0);
  const { zeroing_timeout_fixed: fixed, zeroing_timeout_per_mib: perMib } = op;
  return runWithHelperVm(world, instance, {
    image: now.cluster.zeroing_image,
    startupTimeoutSeconds: op.shutdown_timeout,
    timeoutSeconds: (fixed ?? zeroing.fixed) + (perMib ?? zeroing.perMib) * sizeMib,
    prefix: "Zeroing free disk space",
  });
}

async function snapshotsFor(context: UnitContext, op: ExportOp, instance: RealInstance) {
  const taken = await takeSnapshots(context, instance, realDisksOf(context.now, instance));
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

async function startAgain(context: UnitContext, instance: RealInstance): Promise<void> {
  context.log(`Starting instance ${instance.name}`);
  const answer = await whileStarting(context, startingOf(context.now, instance), (beparams) =>
    startOnNode(context, instance.primary_node, {
      instance: instanceOnNode(context.now, instance, { beparams }),
    }),
  ).catch((error: unknown) => {
    if (error instanceof PrereqError) return failed(error.message);
    throw error;
  });
  if (answer.ok) return;
  context.log(`Failed to start instance: ${answer.message}`);
  await shutdownDisks(context, instance);
  throw new ExecError(`Could not start instance: ${answer.message}`);
}

async function exportDisks(
  context: UnitContext,
  { op, instance, target }: Export,
  snapshots: readonly DiskOnNode[] | undefined,
): Promise<Outcome> {
  const { now } = context;
  const disks = realDisksOf(now, instance);
  const sent = snapshots ?? disks.map((disk) => diskOnNode(now, instance, disk));
  const sources = sent.map((disk, index) =>
    instance.os === ""
      ? ({ kind: "raw-disk", disk } as const)
      : ({ kind: "script", disk, index } as const),
  );
  const { compress } = op;
  if (target.kind === "cluster") {
    const { trust, destinations } = target;
    const how = { ...trust, destinations, compress, connectTimeoutSeconds };
    return { isFinal: true, disks: await sendDisks(context, instance, sources, how) };
  }
  const { node } = target;
  const transfers = sources.map((source, index) => ({
    label: `${snapshots === undefined ? "disk" : "snapshot"}/${index}`,
    source,
    target: { kind: "file", path: `${instance.name}.new/${source.disk.uuid}` } as const,
  }));
  const route = { instance, from: instance.primary_node, to: node.uuid, compress };
  const arrived = await transferAll(context, route, transfers);
  if (arrived.includes(false)) {
    const text = "Some disk exports have failed; there may be leftover data for instance";
    warn(context, `${text} ${instance.name} on node ${node.name}`);
    return { isFinal: false, disks: arrived };
  }
  context.log(`Finalizing export on ${node.name}`);
  const answer = await ask(context, node.uuid, "finalize_export", {
    instance: instanceOnNode(now, instance),
    disks: sent,
  });
  if (!answer.ok) {
    const text = `Could not finalize export for instance ${instance.name} on node ${node.name}`;
    warn(context, `${text}: ${answer.message}`);
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

/** The instance is stopped and its disks are copied to the other cluster. @throws ExecError */
async function removeExported(op: ExportOp, world: World, { uuid }: RealInstance): Promise<void> {
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  world.log(`Removing instance ${instance.name}`);
  await removeWithDisks(contextAt(world, now), instance, {
    ignoreFailures: op.ignore_remove_failures,
  });
}

/** An instance has one export: those on other nodes are removed. */
async function removeOlder(
  context: UnitContext,
  { name }: RealInstance,
  target: NodeObject,
): Promise<void> {
  const others = [...context.now.nodes()].filter(({ uuid }) => uuid !== target.uuid);
  if (others.length > 0) context.log(`Removing old exports for instance ${name}`);
  for (const node of others) {
    const exports = await ask(context, node.uuid, "export_list", {});
    if (!exports.ok || !exports.value.includes(name)) continue;
    const removed = await ask(context, node.uuid, "export_remove", { name });
    if (removed.ok) continue;
    const text = `Could not remove older export for instance ${name} on node ${node.name}`;
    warn(context, `${text}: ${removed.message}`);
  }
}
