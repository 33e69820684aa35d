/**
 * Conversion of a stopped instance to another disk template: its data move to disks of the new
 * type.
 */

import {
  diskOnNode,
  diskTemplate,
  groupOf,
  groupPolicy,
  put,
  realDisksOf,
  removal,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { DiskTemplate, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { diskCan, isMirrored, sizeText } from "@ganeti-ts/protocol";
import { claimOfRemoval, putting } from "../../capacity/claim.js";
import { abandonClaims, checkStillClaimed, giveUpClaims } from "../../capacity/with-claims.js";
import { ask, info, valueOrFail, warn } from "../../unit/effects.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { createDisks, createSingleDevice, removeDisks } from "../disks/creation.js";
import { isExclusive } from "../disks/growth.js";
import { waitForSync } from "../disks/sync.js";
import { checkTargetPolicy } from "../parameters/target-policy.js";
import { fileDirectory, type PlannedDisk } from "../plan/disks.js";
import { onlyOn, portOf, portsFreed } from "../plan/places.js";
import { shutdownDisks } from "../running/activation.js";
import {
  checkNodeNotDrained,
  checkNodeOnline,
  checkNodeVmCapable,
} from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { down, nodeName } from "../state.js";
import { renameVolumes } from "./disk-changes.js";
import { type HeldDisks, holdDisks, type NewDisks, settled } from "./new-disks.js";
import type { SetOp } from "./parameters.js";

export interface Conversion {
  readonly from: DiskTemplate;
  readonly to: DiskTemplate;
  /** Secondary node of mirrored disks. */
  readonly secondary: NodeUuid | undefined;
}

/** @throws PrereqError */
export async function checkedConversion(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
  to: DiskTemplate,
): Promise<Conversion> {
  const { now } = context;
  if (!isMirrored(to) && op.remote_node !== undefined) {
    warn(
      context,
      "Changing the disk template to a non-mirrored one, the secondary node will be ignored",
    );
  }
  const from = diskTemplate(now, instance) ?? "diskless";
  if (from === "mixed") wrongInput("Conversion from mixed is not yet supported.");
  if (!diskCan(from, "convert")) {
    wrongInput(`Conversion from the '${from}' disk template is not supported`);
  }
  if (!diskCan(to, "convert")) {
    wrongInput(`Conversion to the '${to}' disk template is not supported`);
  }
  if (from === to) wrongInput(`Instance already has disk template ${to}`);
  const enabled: readonly string[] = now.cluster.enabled_disk_templates;
  if (!enabled.includes(to)) {
    const list = enabled.join(", ");
    wrongState(
      `Disk template '${to}' is not enabled for this cluster (enabled templates: ${list})`,
    );
  }
  await checkInstanceState(context, instance, down, "cannot change disk template");
  const secondary = isMirrored(to) ? await chosenSecondary(context, instance, op) : undefined;
  if (secondary !== undefined) {
    if (secondary === instance.primary_node) {
      wrongState(
        `Given new secondary node ${nodeName(now, secondary)} is the same as the primary node of the instance`,
      );
    }
    checkNodeOnline(now, secondary);
    checkNodeNotDrained(now, secondary);
    checkNodeVmCapable(now, secondary);
    checkTargetPolicy(context, instance, secondary, op.ignore_ipolicy);
    if (groupOf(now, secondary) !== groupOf(now, instance.primary_node)) {
      warn(
        context,
        "The primary and secondary nodes are in two different node groups; the disk parameters" +
          " from the first disk's node group will be used",
      );
    }
  }
  const group = groupOf(now, instance.primary_node);
  const allowed = group === undefined ? [to] : groupPolicy(now, group)["disk-templates"];
  if (!allowed.includes(to)) {
    wrongState(`Disk template '${to}' in not allowed (allowed templates: ${allowed.join(", ")})`);
  }
  const nodes = [instance.primary_node, secondary ?? []].flat();
  if (nodes.some((uuid) => isExclusive(now, uuid)) && !diskCan(to, "spindles")) {
    wrongState(
      `Cannot convert disk template from ${from} to ${to} when exclusive storage is enabled`,
    );
  }
  return { from: from as DiskTemplate, to, secondary };
}

async function chosenSecondary(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
): Promise<NodeUuid> {
  const { now } = context;
  if (op.remote_node !== undefined) {
    return namedNode(now, { node_name: op.remote_node, node_uuid: op.remote_node_uuid }).uuid;
  }
  const asking = { now, caller: context, iallocator: op.iallocator };
  const { allocator, nodes } = await context.allocators.allocateSecondary(asking, instance.uuid);
  context.log(`${allocator} choose ${nodes[0]} as new secondary`);
  return now.expectNode(nodes[0] ?? "").uuid;
}

/** A failure before the last step leaves the instance unchanged. */
export async function convertDisks(
  world: World,
  uuid: RealInstance["uuid"],
  op: SetOp,
  { from, to, secondary }: Conversion,
): Promise<void> {
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  if (!(await shutdownDisks(world, instance))) {
    throw new ExecError(
      "Cannot shutdown instance disks, unable to proceed with disk template conversion",
    );
  }
  world.log(`Converting disk template from '${from}' to '${to}'`);
  if (from === "drbd" && to === "plain") return dropMirror(world, instance);
  const old = realDisksOf(now, instance);
  const wanted: NewDisks = {
    template: to,
    primary: instance.primary_node,
    secondary,
    baseIndex: 0,
    planned: old.map((disk) => plannedAs(now, disk, from === "plain" && to === "drbd")),
    directory: fileDirectory(now, to, instance.name, op.file_storage_dir),
    driver: op.file_driver ?? "loop",
  };
  const held =
    from === "plain" && to === "drbd" && secondary !== undefined
      ? await holdDisks(world, instance, { ...wanted, takesOn: [secondary] })
      : await holdDisks(world, instance, wanted);
  if (from === "plain" && to === "drbd" && secondary !== undefined) {
    await addMirror(world, instance, old, held, secondary);
  } else await copyDisks(world, instance, old, held, to);
  const isAdopted = from === "plain" && to === "drbd";
  const { snapshot, value: removals } = await world.config.change((latest) => {
    const before = latest.instance(uuid) as RealInstance;
    checkStillClaimed(latest, held.claim);
    const gone = isAdopted
      ? []
      : [claimOfRemoval(contextAt(world, latest), instance.primary_node, old)];
    return {
      changes: [
        ...settled(held, before, held.disks),
        ...old.map((disk) => removal("disk", disk.uuid)),
        ...gone.map(putting),
      ],
      value: gone,
    };
  }, world);
  const after = snapshot.instance(uuid) as RealInstance;
  if (!(await waitForSync(world, after, { oneshot: !op.wait_for_sync }))) {
    throw new ExecError("There are some degraded disks for this instance, please cleanup manually");
  }
  if (isAdopted) return;
  world.log(`Removing old block devices of type '${from}'...`);
  const { left } = await removeDisks(contextAt(world, snapshot), instance, old);
  if (left.length === 0) await giveUpClaims(world, removals);
}

/** Planned in the volume group of the existing data. */
function plannedAs(now: Snapshot, disk: RealDisk, isAdopted: boolean): PlannedDisk {
  const [data = disk] = disk.children;
  const isVolume = (data as RealDisk).dev_type === "plain";
  return {
    size: disk.size,
    mode: disk.mode ?? "rw",
    name: disk.name,
    spindles: disk.spindles,
    vg: isVolume ? String(data.logical_id[0]) : (now.cluster.volume_group_name ?? ""),
    metavg: undefined,
    access: undefined,
    provider: undefined,
    params: {},
    adopt: isAdopted ? String(disk.logical_id[1]) : undefined,
  };
}

interface MadeOn {
  readonly node: NodeUuid;
  readonly asPrimary: boolean;
}

/** The existing volumes become the data of the new mirrors. */
async function addMirror(
  world: World,
  instance: RealInstance,
  old: readonly RealDisk[],
  held: HeldDisks,
  secondary: NodeUuid,
): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const { primary_node: primary } = instance;
  // One by one: of a mirror that is made last, the volumes are there.
  const make = async (disk: RealDisk | RealDisk["children"][number], on: MadeOn) => {
    const made = await createSingleDevice(context, instance, disk, on.node, on.asPrimary);
    if (!made.ok) throw new ExecError(made.message);
  };
  const data = held.disks.flatMap(({ children }) => children.slice(0, 1)) as unknown as RealDisk[];
  const back = old.map((disk, at) => ({
    disk: data[at] ?? disk,
    logicalId: disk.logical_id,
  }));
  let isRenamed = false;
  try {
    world.log("Creating additional volumes...");
    for (const { children } of held.disks) {
      const [, meta] = children;
      if (meta !== undefined) await make(meta, { node: primary, asPrimary: true });
      // As Ganeti does: the volumes of both sides are open.
      for (const child of children) await make(child, { node: secondary, asPrimary: true });
    }
    world.log("Renaming original volumes...");
    const renames = old.map((disk, at) => ({
      disk,
      logicalId: data[at]?.logical_id ?? disk.logical_id,
    }));
    await renameVolumes(context, instance, renames, "Failed to rename original LVs");
    isRenamed = true;
    world.log("Initializing DRBD devices...");
    for (const disk of held.disks) {
      await make(disk, { node: primary, asPrimary: true });
      await make(disk, { node: secondary, asPrimary: false });
    }
  } catch (error) {
    if (isRenamed) {
      world.log("Initializing of DRBD devices failed; renaming back original volumes...");
      const failure = `Failed to rename LVs back after error ${(error as Error).message}`;
      await renameVolumes(context, instance, back, failure);
    }
    // Volumes may have new names although the renaming failed: recovery looks before it removes anything.
    await abandonClaims(world, [held.claim]);
    throw error;
  }
}

async function copyDisks(
  world: World,
  instance: RealInstance,
  old: readonly RealDisk[],
  held: HeldDisks,
  to: DiskTemplate,
): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  world.log(`Generating new '${to}' disk template...`);
  for (const note of held.notes) world.log(note);
  world.log(`Creating new empty disks of type '${to}'...`);
  try {
    await createDisks(context, instance, held.disks);
  } catch (error) {
    warn(world, "Device creation failed");
    await abandonClaims(world, [held.claim]);
    throw error;
  }
  world.log(`Populating the new empty disks of type '${to}'...`);
  for (const [at, disk] of old.entries()) {
    const size = sizeText(disk.size);
    world.log(` - copying data from disk ${at} (${disk.dev_type}), size ${size}`);
    const [source = disk] = disk.dev_type === "drbd" ? disk.children : [disk];
    const answer = await ask(world, instance.primary_node, "blockdev_convert", {
      source: diskOnNode(now, instance, source),
      target: diskOnNode(now, instance, held.disks[at] as RealDisk),
    });
    if (answer.ok) continue;
    info(world, "Some disks failed to copy");
    info(world, "The instance will not be affected, aborting operation");
    info(world, `Removing newly created disks of type '${to}'...`);
    await removeDisks(context, instance, held.disks);
    info(world, "Newly created disks removed successfully");
    await abandonClaims(world, [held.claim]);
    valueOrFail(answer, "Error while converting the instance's template");
  }
}

/** The data volume of each mirror becomes the disk; the other volumes are removed. */
async function dropMirror(world: World, instance: RealInstance): Promise<void> {
  const now = world.config.snapshot;
  const [secondary] = secondaryNodes(now, instance);
  const old = realDisksOf(now, instance);
  const plain = old.map((disk, at): RealDisk => {
    const [data] = disk.children;
    if (data === undefined) throw new Error("a mirror has data");
    return {
      uuid: data.uuid,
      dev_type: "plain",
      logical_id: data.logical_id,
      size: disk.size,
      nodes: [instance.primary_node],
      iv_name: `disk/${at}`,
      children: [],
      params: {},
      ...(disk.mode === undefined ? {} : { mode: disk.mode }),
      ...(disk.name === undefined ? {} : { name: disk.name }),
    };
  });
  const { primary_node: primary } = instance;
  const metas = old.flatMap(({ children }) => children.slice(1)) as unknown as RealDisk[];
  const { snapshot, value: removals } = await world.config.change((latest) => {
    const before = latest.instance(instance.uuid) as RealInstance;
    const object = { ...before, disks: plain.map(({ uuid }) => uuid) };
    const context = contextAt(world, latest);
    const gone = [claimOfRemoval(context, primary, metas)];
    if (secondary !== undefined) {
      const sides = old.map((disk) => onlyOn(secondary, disk));
      gone.push(claimOfRemoval(context, secondary, sides));
    }
    return {
      changes: [
        ...old.map((disk) => removal("disk", disk.uuid)),
        ...plain.map((disk) => put("disk", disk)),
        put("instance", object),
        ...portsFreed(latest.cluster, old.map(portOf)),
        ...gone.map(putting),
      ],
      value: gone,
    };
  }, world);
  const [onPrimary, ...onSecondary] = removals;
  const context = contextAt(world, snapshot);
  world.log("Removing volumes on the secondary node...");
  if (secondary !== undefined) {
    const { left } = await removeDisks(context, instance, old, { node: secondary });
    if (left.length === 0) await giveUpClaims(world, onSecondary);
  }
  world.log("Removing unneeded volumes on the primary node...");
  const { left } = await removeDisks(context, instance, metas, { node: primary });
  if (left.length === 0 && onPrimary !== undefined) await giveUpClaims(world, [onPrimary]);
}
