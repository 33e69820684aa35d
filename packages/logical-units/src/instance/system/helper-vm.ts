/**
 * Helper VM: starts the instance from an image on a temporary disk placed before its own disks, and
 * waits until it stops by itself. Untrusted scripts run isolated from the node.
 */

import {
  diskOnNode,
  filledBeparams,
  instanceOnNode,
  newUuid,
  realDisksOf,
  type Snapshot,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { DiskUuid, Json, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { bytesPerMib, pause } from "@ganeti-ts/protocol";
import { claimOf } from "../../capacity/claim.js";
import type { Demand } from "../../capacity/demand.js";
import { volumesOf } from "../../capacity/volumes.js";
import { withClaims } from "../../capacity/with-claims.js";
import { ask, info, valueOrFail, warn } from "../../unit/effects.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { createSingleDevice, removeDevice } from "../disks/creation.js";
import { shutdownDisks, startDisks } from "../running/activation.js";
import { startOnNode } from "../running/left-running.js";
import { runtimeInfo } from "../running/running.js";
import { nodeName } from "../state.js";

export interface HelperRun {
  /** Path on the primary node. */
  readonly image: string;
  readonly startupTimeoutSeconds: number;
  readonly timeoutSeconds: number;
  /** Prefix of lines in the job's log. */
  readonly prefix: string;
  /** OS parameters for the helper VM, in addition to those of the instance. */
  readonly osparams?: Readonly<Record<string, Json>>;
  /** Whether the memory is reserved already. */
  readonly hasMemory?: boolean;
}

/** Grace period between the shutdown request and a forced stop. */
const shutdownTimeoutSeconds = 120;

/**
 * Leaves the instance stopped, with inactive disks. The temporary disk is held by the job and does
 * not become a disk of the instance: recovery removes it if the job dies. @throws ExecError,
 * PrereqError `insufficient_resources`
 */
export async function runWithHelperVm(
  world: World,
  instance: RealInstance,
  run: HelperRun,
): Promise<void> {
  const now = world.config.snapshot;
  const log = (text: string) => world.log(`${run.prefix}: ${text}`);
  const disk = helperDisk(
    contextAt(world, now),
    instance,
    await imageSizeMib(world, instance, run.image),
  );
  const purpose = `running a helper VM for instance ${instance.name}`;
  const { maxmem } = filledBeparams(now, instance);
  const { primary_node: node, hypervisor } = instance;
  const memory = run.hasMemory ? {} : { memory: { mib: maxmem, hypervisor, purpose } };
  const demand: Demand = { node, volumes: volumesOf([disk]), ...memory };
  await withClaims(
    world,
    [demand],
    (latest, [mib = 0]) => [claimOf(contextAt(world, latest), demand, mib, [disk])],
    () =>
      withTemporaryDisk(world, instance, disk, log, () => runFrom(world, instance, disk, run, log)),
  );
  log("Helper VM execution completed");
}

/** In MiB, rounded up. @throws ExecError */
async function imageSizeMib(
  world: World,
  { primary_node: node }: RealInstance,
  image: string,
): Promise<number> {
  const fail = (why: string) => new ExecError(`Could not create temporary disk: ${why}`);
  // Images at URLs are not supported: only nodes of the cluster are contacted.
  if (!image.startsWith("/")) {
    throw fail(`Could not determine image size from given url '${image}'`);
  }
  const answer = await ask(world, node, "get_file_info", { path: image });
  if (!answer.ok) throw fail(`Could not determine size of file '${image}': ${answer.message}`);
  if (!answer.value.exists) throw fail(`Could not open file '${image}'`);
  return Math.max(1, Math.ceil(answer.value.sizeBytes / bytesPerMib));
}

function helperDisk(
  { config, now }: Pick<UnitContext, "config" | "now">,
  { primary_node: node }: RealInstance,
  size: number,
): RealDisk {
  const group = now.cluster.volume_group_name;
  if (group === undefined) {
    throw new ExecError("Could not create temporary disk: the cluster has no volume group");
  }
  const uuid = newUuid<DiskUuid>(now, config.random);
  return {
    uuid,
    dev_type: "plain",
    logical_id: [group, uuid],
    nodes: [node],
    children: [],
    size,
    mode: "rw",
    params: {},
  };
}

/** In every case the instance is stopped and the disk removed afterwards. */
async function withTemporaryDisk(
  world: World,
  instance: RealInstance,
  disk: RealDisk,
  log: (text: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  await stop(world, instance, log);
  log("Attempting to create temporary disk");
  const { primary_node: node } = instance;
  const now = world.config.snapshot;
  const made = await createSingleDevice(contextAt(world, now), instance, disk, node, true);
  if (!made.ok) throw new ExecError(made.message);
  log("Temporary disk created");
  let isBad = true;
  try {
    await work();
    isBad = false;
  } finally {
    const how = isBad ? "Exception raised, cleaning up" : "Regular cleanup of";
    log(`${how} temporary disk`);
    await removeTemporary(world, instance, disk, log);
  }
}

async function removeTemporary(
  world: World,
  instance: RealInstance,
  disk: RealDisk,
  log: (text: string) => void,
): Promise<void> {
  const { primary_node: node } = instance;
  try {
    await stop(world, instance, log);
    const now = world.config.snapshot;
    valueOrFail(
      await removeDevice(contextAt(world, now), instance, disk, node),
      `Could not remove disk 0 on node ${nodeName(now, node)}`,
    );
    log("Temporary disk removed");
  } catch (error) {
    log("Disk cleanup failed; it will have to be removed manually");
    throw error;
  }
}

async function stop(world: World, { uuid }: RealInstance, log: (text: string) => void) {
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  log("Shutting down instance");
  valueOrFail(
    await ask(world, instance.primary_node, "instance_shutdown", {
      instance: instanceOnNode(now, instance),
      timeoutSeconds: shutdownTimeoutSeconds,
      reason: world.reason,
    }),
    `Shutdown of instance '${instance.name}' while removing temporary disk failed`,
  );
  if (!instance.disks_active) return;
  log("Deactivating disks");
  await shutdownDisks(world, instance);
}

/** Runs the helper VM until it stops by itself. */
async function runFrom(
  world: World,
  { uuid }: RealInstance,
  disk: RealDisk,
  run: HelperRun,
  log: (text: string) => void,
): Promise<void> {
  const instance = world.config.snapshot.instance(uuid) as RealInstance;
  const { name, primary_node: node } = instance;
  log("Activating helper VM's temporary disks");
  await startDisks(world, instance, false);
  const now = world.config.snapshot;
  const onNode = diskOnNode(now, instance, disk);
  const what = `disk '0' for instance '${name}' on node '${nodeName(now, node)}'`;
  log(`Imaging temporary disks with image ${run.image}`);
  valueOrFail(
    await ask(world, node, "blockdev_assemble", {
      disk: onNode,
      instance: instanceOnNode(now, instance),
      asPrimary: true,
      index: 0,
    }),
    `Could not image ${what}`,
  );
  info(world, `Imaging ${what}`);
  valueOrFail(
    await ask(world, node, "blockdev_image", {
      disk: onNode,
      image: run.image,
      sizeMib: disk.size,
    }),
    `Could not image ${what}`,
  );
  log("Starting helper VM");
  valueOrFail(
    await startOnNode(world, node, {
      instance: helperOnNode(now, instance, onNode, run),
    }),
    `${run.prefix}: Could not start helper VM with image ${run.image}`,
  );
  if (!(await becomes(world, instance, true, 5, run.startupTimeoutSeconds))) {
    throw new ExecError(`${run.prefix}: Could not boot instance using image ${run.image}`);
  }
  log("Helper VM is up");
  log("Waiting for helper VM to finish");
  if (await becomes(world, instance, false, 20, run.timeoutSeconds)) return;
  const late = "Helper VM has not finished within the timeout; shutting it down forcibly";
  warn(world, `${run.prefix}: ${late}`);
  valueOrFail(
    await ask(world, node, "instance_shutdown", {
      instance: helperOnNode(now, instance, onNode, run),
      timeoutSeconds: shutdownTimeoutSeconds,
      reason: world.reason,
    }),
    `${run.prefix}: Could not shut down helper VM with image ${run.image} within timeout`,
  );
  throw new ExecError(`Error running helper VM with image ${run.image}`);
}

/** The instance with the temporary disk before its own. */
function helperOnNode(
  now: Snapshot,
  instance: RealInstance,
  disk: DiskOnNode,
  { osparams = {} }: HelperRun,
) {
  const own = realDisksOf(now, instance).map((one) => diskOnNode(now, instance, one));
  return instanceOnNode(now, instance, { disks: [disk, ...own], osparams });
}

/** Whether the instance reaches the wanted run state before the timeout. */
async function becomes(
  world: World,
  instance: RealInstance,
  wanted: boolean,
  intervalSeconds: number,
  timeoutSeconds: number,
): Promise<boolean> {
  const endMs = world.clock.now() + timeoutSeconds * 1000;
  for (;;) {
    const running = valueOrFail(
      await runtimeInfo(contextAt(world, world.config.snapshot), instance),
      `Can't retrieve instance information for instance '${instance.name}'`,
    );
    if ((running !== null && running.state !== "shutdown") === wanted) return true;
    if (world.clock.now() >= endMs) return false;
    await pause(world.clock, intervalSeconds * 1000, world.signal);
  }
}
