/** Activation and deactivation of an instance's block devices on all of its nodes. */
import { diskOnNode, instanceOnNode, realDisksOf, secondaryNodes } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { AssembledDevice } from "@ganeti-ts/node-calls";
import type { NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";
import { markDisks, nodeName } from "../state.js";

/** The nodes on which a disk has a device of its own: both of a mirror, else the primary. */
export const nodesOfDisk = (disk: RealDisk, primary: NodeUuid): readonly NodeUuid[] =>
  disk.dev_type === "drbd"
    ? [disk.logical_id[0] as NodeUuid, disk.logical_id[1] as NodeUuid]
    : [primary];

interface Assembly {
  readonly ok: boolean;
  /** For each disk: the primary's name, the disk's name (`disk/0`), the path of its device there. */
  readonly devices: readonly (readonly [string, string, string | null])[];
  /** For each disk its device on the primary; undefined if it was not activated there. */
  readonly found: readonly (AssembledDevice | undefined)[];
}

interface AssembleOptions {
  /** Only these disks; then the configuration does not record the disks as active. */
  readonly disks?: readonly RealDisk[];
  readonly ignoreSecondaries?: boolean;
  /** Accepts devices whose size differs from the recorded one. */
  readonly ignoreSize?: boolean;
}

/**
 * Activates the disks: first on all nodes as secondary, then, when the sides of each mirror have met, on the primary for
 * use. The configuration records it beforehand, and reverts it on failure.
 */
export async function assembleDisks(
  world: World,
  instance: RealInstance,
  { disks, ignoreSecondaries = false, ignoreSize = false }: AssembleOptions = {},
): Promise<Assembly> {
  const now =
    disks === undefined ? await markDisks(world, instance.uuid, true) : world.config.snapshot;
  const all = realDisksOf(now, instance);
  const secondaries = secondaryNodes(now, instance);
  let ok = true;
  const onNode = instanceOnNode(now, instance);
  const assemble = (disk: RealDisk, node: NodeUuid, asPrimary: boolean) => {
    const sent = diskOnNode(now, instance, disk);
    return ask(world, node, "blockdev_assemble", {
      disk: ignoreSize ? { ...sent, size: 0 } : sent,
      instance: onNode,
      asPrimary,
      index: all.findIndex(({ uuid }) => uuid === disk.uuid),
    });
  };
  const problem = (disk: RealDisk, node: NodeUuid, pass: 1 | 2, message: string) => {
    const asPrimary = pass === 2 ? "True" : "False";
    warn(
      world,
      `Could not prepare block device ${disk.iv_name} on node ${nodeName(now, node)}` +
        ` (is_primary=${asPrimary}, pass=${pass}): ${message}`,
    );
  };
  const paired = new Set<RealDisk>();
  for (const disk of disks ?? all) {
    if (disk.dev_type === "drbd") paired.add(disk);
    for (const node of nodesOfDisk(disk, instance.primary_node)) {
      const answer = await assemble(disk, node, false);
      if (answer.ok) continue;
      paired.delete(disk);
      problem(disk, node, 1, answer.message);
      const isOfflineSecondary = answer.offline && secondaries.includes(node);
      if (!ignoreSecondaries && !isOfflineSecondary) ok = false;
    }
  }
  if (!ignoreSecondaries && !(await haveShakenHands(world, instance, [...paired]))) {
    // The disks stay recorded as active: an instance may use them, and the watcher tries again.
    return { ok: false, devices: [], found: [] };
  }
  const primary = nodeName(now, instance.primary_node);
  const devices: [string, string, string | null][] = [];
  const found: (AssembledDevice | undefined)[] = [];
  for (const disk of disks ?? all) {
    const answer = await assemble(disk, instance.primary_node, true);
    if (!answer.ok) {
      problem(disk, instance.primary_node, 2, answer.message);
      ok = false;
    }
    const device = answer.ok ? answer.value : undefined;
    found.push(device);
    devices.push([primary, disk.iv_name ?? "", device?.path ?? null]);
  }
  if (!ok && disks === undefined) await markDisks(world, instance.uuid, false);
  return { ok, devices, found };
}

/**
 * Waits until the mirrors that are up on both nodes know the state of each other: one that becomes primary before could
 * begin with old data. Nodes wait for 15 s; false, with a warning, if they have not met by then.
 */
async function haveShakenHands(
  world: World,
  instance: RealInstance,
  mirrors: readonly RealDisk[],
): Promise<boolean> {
  if (mirrors.length === 0) return true;
  const now = world.config.snapshot;
  const disks = mirrors.map((disk) => diskOnNode(now, instance, disk));
  const answer = await ask(world, instance.primary_node, "drbd_wait_sync", { disks });
  if (answer.ok) return true;
  const primary = nodeName(now, instance.primary_node);
  warn(
    world,
    `The mirrors on node ${primary} are not connected to their secondary node: ${answer.message}`,
  );
  return false;
}

/** Deactivates the given disks, or all; false if one stayed active. */
export async function shutdownDisks(
  world: World,
  instance: RealInstance,
  { disks, ignorePrimary = false }: { disks?: readonly RealDisk[]; ignorePrimary?: boolean } = {},
): Promise<boolean> {
  const now =
    disks === undefined ? await markDisks(world, instance.uuid, false) : world.config.snapshot;
  let ok = true;
  for (const disk of disks ?? realDisksOf(now, instance)) {
    for (const node of nodesOfDisk(disk, instance.primary_node)) {
      const answer = await ask(world, node, "blockdev_shutdown", {
        disk: diskOnNode(now, instance, disk),
      });
      if (answer.ok) continue;
      warn(
        world,
        `Could not shutdown block device ${disk.iv_name} on node ${nodeName(now, node)}: ${answer.message}`,
      );
      const isPrimary = node === instance.primary_node;
      if (isPrimary ? !ignorePrimary : !answer.offline) ok = false;
    }
  }
  return ok;
}

/**
 * Like `assembleDisks`, but deactivates the disks again on failure. `force`: without secondaries;
 * null: without the hint.
 */
export async function startDisks(
  world: World,
  instance: RealInstance,
  force: boolean | null,
): Promise<void> {
  const { ok } = await assembleDisks(world, instance, { ignoreSecondaries: force === true });
  if (ok) return;
  await shutdownDisks(world, instance);
  if (force === false) {
    warn(
      world,
      "",
      "If the message above refers to a secondary node, you can retry the operation using '--force'",
    );
  }
  throw new ExecError("Disk consistency error");
}
