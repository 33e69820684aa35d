/** OP_INSTANCE_GROW_DISK: makes a disk of an instance larger on all nodes that have it. */
import { diskOnNode, nodesOfInstance, put } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { ForthcomingInstance, OpcodeOf, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { decodeOpcode, sizeText } from "@ganeti-ts/protocol";
import { checkRoom } from "../../capacity/demand.js";
import { withClaim } from "../../capacity/with-claims.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import { asExclusive, instanceLock, nodeLock } from "../../unit/locks.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { applied, areChecksAll, contextAt } from "../../unit/unit.js";
import { wipeDisks } from "../disks/disk-content.js";
import { storageLocks } from "../disks/disk-locks.js";
import {
  grownDisk,
  grownSizeViolations,
  growthDemands,
  isExclusive,
  isGrowable,
} from "../disks/growth.js";
import { waitForSync } from "../disks/sync.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import { assembleDisks, shutdownDisks } from "../running/activation.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { down, namedInstance, namedRealInstance, nodeName, realDiskAt } from "../state.js";
import { modifyForthcoming } from "./forthcoming.js";
import { announceSize } from "./hotplug.js";

export const growDisk: Unit<"OP_INSTANCE_GROW_DISK"> = {
  opcode: "OP_INSTANCE_GROW_DISK",
  hooks: instanceHooks("disk-grow", {
    variables: ({ disk, amount, absolute }) => ({ DISK: disk, AMOUNT: amount, ABSOLUTE: absolute }),
  }),

  locks(op, now) {
    const instance = namedInstance(now, op);
    return instance.forthcoming ? asExclusive(instanceLock(instance)) : storageLocks(op, now);
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const reserved = namedInstance(now, op);
    if (reserved.forthcoming) return growReserved(op, world, reserved);
    const context = contextAt(world, now);
    const instance = namedRealInstance(now, op);
    const nodes = nodesOfInstance(now, instance);
    for (const node of nodes) checkNodeOnline(now, node);
    const disk = realDiskAt(now, instance, op.disk);
    if (!isGrowable(disk)) {
      wrongInput(`Instance's disk layout ${disk.dev_type} does not support growing`);
    }
    const deltaMib = deltaOf(op, disk);
    const demands = growthDemands(now, nodes, disk, deltaMib);
    await checkRoom(world, demands);
    checkSizes(context, op, instance, grownDisk(disk, deltaMib));
    if (await areChecksAll(world, op)) return null;

    const wipeFromMib = await withClaim(world, demands, async () => {
      const sizeMib = await growOnNodes(context, op, instance, disk, deltaMib);
      await applied(world, (latest) => {
        const before = latest.disk(disk.uuid) as RealDisk | undefined;
        if (before === undefined) return [];
        const object = grownDisk(before, deltaMib);
        return [put("disk", object)];
      });
      return sizeMib;
    });
    await world.release(nodes.map(nodeLock));
    await complete(op, world, instance, disk, wipeFromMib);
    return null;
  },
};

/** A disk that is only reserved gets its new size as in a modification. @throws PrereqError */
async function growReserved(
  op: OpcodeOf<"OP_INSTANCE_GROW_DISK">,
  world: World,
  reserved: ForthcomingInstance,
): Promise<null> {
  checkNotCommitted(contextAt(world, world.config.snapshot), reserved.uuid);
  const disk = world.config.snapshot.disksOf(reserved)[op.disk];
  if (disk === undefined) wrongInput(`Invalid disk index: ${op.disk}`);
  const size = disk.size ?? 0;
  const change = decodeOpcode({
    OP_ID: "OP_INSTANCE_SET_PARAMS",
    instance_name: op.instance_name,
    disks: [["modify", op.disk, { size: size + deltaOf(op, { size }) }]],
    ignore_ipolicy: op.ignore_ipolicy,
    dry_run: op.dry_run ?? false,
  });
  if (!change.ok) wrongInput(change.problem);
  await modifyForthcoming(world, reserved, change.opcode as OpcodeOf<"OP_INSTANCE_SET_PARAMS">);
  return null;
}

function deltaOf(
  { amount, absolute }: OpcodeOf<"OP_INSTANCE_GROW_DISK">,
  { size }: Pick<RealDisk, "size">,
) {
  if (!absolute) return amount;
  if (amount >= size) return amount - size;
  wrongState(
    `Requested size (${sizeText(amount)}) is smaller than current disk size (${sizeText(size)})`,
  );
}

function checkSizes(
  context: UnitContext,
  op: OpcodeOf<"OP_INSTANCE_GROW_DISK">,
  instance: RealInstance,
  grown: RealDisk,
): void {
  const violations = grownSizeViolations(context.now, instance, grown);
  if (violations.length === 0) return;
  const text = `Growing disk ${op.disk} violates policy: ${violations.join(", ")}`;
  if (!op.ignore_ipolicy) wrongInput(text);
  warn(context, text);
}

/**
 * First a dry run on all nodes, then the children of the disk on each of them, and last the disk
 * itself on the primary. Returns the former size if the new part is to be wiped. @throws ExecError
 */
async function growOnNodes(
  context: UnitContext,
  op: OpcodeOf<"OP_INSTANCE_GROW_DISK">,
  instance: RealInstance,
  disk: RealDisk,
  deltaMib: number,
): Promise<number | undefined> {
  const { now } = context;
  const { ok } = await assembleDisks(context, instance, { disks: [disk] });
  if (!ok) throw new ExecError("Cannot activate block device to grow");
  const [by, to] = [sizeText(deltaMib), sizeText(disk.size + deltaMib)];
  context.log(`Growing disk ${op.disk} of instance '${instance.name}' by ${by} to ${to}`);
  const onNode = diskOnNode(now, instance, disk);
  const grow = async (node: RealInstance["primary_node"], dryRun: boolean, backing: boolean) =>
    valueOrFail(
      await ask(context, node, "blockdev_grow", {
        disk: onNode,
        amountMib: deltaMib,
        dryRun,
        backingStore: backing,
        exclusiveStorage: isExclusive(now, node),
      }),
      `${dryRun ? "Dry-run grow" : "Grow"} request failed to node ${nodeName(now, node)}`,
    );
  const nodes = nodesOfInstance(now, instance);
  for (const node of nodes) await grow(node, true, true);
  const { primary_node: primary } = instance;
  let sizeMib: number | undefined;
  if (now.cluster.prealloc_wipe_disks) {
    const [dimensions] = valueOrFail(
      await ask(context, primary, "blockdev_getdimensions", { disks: [onNode] }),
      `Failed to retrieve disk size from node '${primary}'`,
    );
    if (dimensions == null) {
      throw new ExecError(`Failed to retrieve disk size from primary node '${primary}'`);
    }
    sizeMib = dimensions.sizeMib;
  }
  for (const node of nodes) await grow(node, false, true);
  await grow(primary, false, false);
  return sizeMib;
}

/** Wipes and mirrors the new part; disks that were inactive are deactivated again. */
async function complete(
  op: OpcodeOf<"OP_INSTANCE_GROW_DISK">,
  world: World,
  instance: RealInstance,
  { uuid }: RealDisk,
  wipeFromMib: number | undefined,
): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const disks = [now.disk(uuid) as RealDisk];
  if (wipeFromMib !== undefined) await wipeDisks(context, instance, disks, wipeFromMib);
  // Only now: the guest must not read what was on the storage before.
  await announceSize(world, instance, disks[0] as RealDisk, op.disk);
  if (op.wait_for_sync) {
    if (!(await waitForSync(world, instance, { disks }))) {
      warn(world, "Disk syncing has not returned a good status; check the instance");
    }
    if (instance.disks_active) return;
    await checkInstanceState(context, instance, down, "cannot shutdown disks");
    await shutdownDisks(world, instance, { disks });
  } else if (!instance.disks_active) {
    warn(
      world,
      "Not shutting down the disk even if the instance is not supposed to be running because no" +
        " wait for sync mode was requested",
    );
  }
}
