/**
 * OP_CLUSTER_REPAIR_DISK_SIZES: corrects disk sizes in the configuration to those measured on
 * nodes.
 */
import { diskOnNode, filledNdparams, put, type Snapshot } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import type {
  ChildDisk,
  DiskObject,
  Json,
  NodeUuid,
  OpcodeOf,
  RealInstance,
} from "@ganeti-ts/protocol";
import { ask, info, isDryRun, warn } from "../unit/effects.js";
import { asExclusive, asShared, instanceLock, nodeResourceLock } from "../unit/locks.js";
import { applied, contextAt, type Unit, type UnitContext, type World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_CLUSTER_REPAIR_DISK_SIZES">;

export const repairDiskSizes: Unit<"OP_CLUSTER_REPAIR_DISK_SIZES"> = {
  opcode: "OP_CLUSTER_REPAIR_DISK_SIZES",

  locks(op, now) {
    if (op.instances.length === 0) {
      return [...asExclusive(groupLockName("instance")), ...asShared(groupLockName("node-res"))];
    }
    const instances = wantedInstances(op, now);
    const nodes = new Set(instances.map(({ primary_node }) => primary_node));
    return [
      ...asExclusive(...instances.map(instanceLock)),
      ...asShared(...Array.from(nodes, nodeResourceLock)),
    ];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const byNode = new Map<NodeUuid, Entry[]>();
    for (const instance of wantedInstances(op, now)) {
      const entries = byNode.get(instance.primary_node) ?? [];
      byNode.set(instance.primary_node, entries);
      now.disksOf(instance).forEach((disk, index) => {
        entries.push({ instance, index, disk });
      });
    }
    const changed: Json[] = [];
    for (const [node, entries] of byNode) {
      if (entries.length > 0)
        changed.push(...(await repairOnNode(contextAt(world, now), op, node, entries)));
    }
    isDryRun(world, op);
    return changed;
  },
};

interface Entry {
  readonly instance: RealInstance;
  readonly index: number;
  readonly disk: DiskObject;
}

/** Real instances only: a reservation has no disks to measure. @throws ConfigError */
function wantedInstances(op: Op, now: Snapshot): readonly RealInstance[] {
  const named =
    op.instances.length === 0
      ? [...now.instances()]
      : op.instances.map((name) => now.expectInstance(name));
  return named.flatMap((instance) => (instance.forthcoming ? [] : instance));
}

/** The corrections, as `[instance, index, "size" | "spindles", new value]`. */
async function repairOnNode(
  context: UnitContext,
  op: Op,
  node: NodeUuid,
  entries: readonly Entry[],
): Promise<Json[]> {
  const { now } = context;
  const disks = entries.map(({ instance, disk }) => diskOnNode(now, instance, disk));
  const answer = await ask(context, node, "blockdev_getdimensions", { disks });
  const holder = now.expectNode(node);
  if (!answer.ok) {
    warn(context, `Failure in blockdev_getdimensions call to node ${holder.name}, ignoring`);
    return [];
  }
  const countsSpindles = filledNdparams(now, holder).exclusive_storage;
  const changed: Json[] = [];
  for (const [at, { instance, index, disk }] of entries.entries()) {
    const found = answer.value[at];
    const name = instance.name;
    if (found === null || found === undefined) {
      warn(context, `Disk ${index} of instance ${name} did not return size information, ignoring`);
      continue;
    }
    let after: DiskObject = disk;
    if (found.sizeMib !== disk.size) {
      info(
        context,
        `Disk ${index} of instance ${name} has mismatched size, correcting: recorded ${disk.size}, actual ${found.sizeMib}`,
      );
      after = { ...after, size: found.sizeMib };
      changed.push([name, index, "size", found.sizeMib]);
    }
    if (countsSpindles && found.spindles !== null && found.spindles !== disk.spindles) {
      info(
        context,
        `Disk ${index} of instance ${name} has mismatched spindles, correcting: recorded ${disk.spindles ?? "None"}, actual ${found.spindles}`,
      );
      after = { ...after, spindles: found.spindles };
      changed.push([name, index, "spindles", found.spindles]);
    }
    const grown = withLargeEnoughChild(context, after);
    if (grown !== after) changed.push([name, index, "size", after.size ?? 0]);
    if (grown !== disk && !op.dry_run) await store(context, grown);
  }
  return changed;
}

/** The data of a mirrored disk is at least as large as the disk. */
function withLargeEnoughChild(world: World, disk: DiskObject): DiskObject {
  const [data, ...others] = disk.children as readonly ChildDisk[];
  if (disk.dev_type !== "drbd" || data === undefined) return disk;
  if ((data.size ?? 0) >= (disk.size ?? 0)) return disk;
  info(world, `Child disk has size ${data.size}, parent ${disk.size}, fixing`);
  return { ...disk, children: [{ ...data, size: disk.size }, ...others] } as DiskObject;
}

const store = (world: World, disk: DiskObject) =>
  applied(world, (now) => {
    const serial_no = now.disk(disk.uuid)?.serial_no;
    const object = { ...disk, serial_no } as DiskObject;
    return [put("disk", object)];
  });
