/** OP_INSTANCE_ACTIVATE_DISKS and OP_INSTANCE_DEACTIVATE_DISKS: the block devices of an instance. */
import { realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { RealInstance } from "@ganeti-ts/protocol";
import { areChecksAll, contextAt, type Unit, type World } from "../../unit/unit.js";
import { assembleDisks, shutdownDisks } from "../running/activation.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { down, markDisks, namedRealInstance } from "../state.js";
import { diskLocks } from "./disk-locks.js";
import { setSyncPaused, waitForSync } from "./sync.js";

/** OP_INSTANCE_ACTIVATE_DISKS: activates the block devices of an instance. */
export const activateDisks: Unit<"OP_INSTANCE_ACTIVATE_DISKS"> = {
  opcode: "OP_INSTANCE_ACTIVATE_DISKS",

  locks: diskLocks,

  /** For each disk: primary node, `disk/0`, path of the device. */
  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    checkNodeOnline(now, instance.primary_node);
    if (await areChecksAll(world, op)) return null;

    const { ok, devices } = await assembleDisks(world, instance, { ignoreSize: op.ignore_size });
    if (!ok) throw new ExecError("Cannot activate block devices");
    await resumeSync(world, instance);
    if (op.wait_for_sync && !(await waitForSync(world, instance))) {
      await markDisks(world, instance.uuid, false);
      throw new ExecError("Some disks of the instance are degraded!");
    }
    return devices;
  },
};

/**
 * Synchronisation stays paused if the job that paused it dies while it writes to the disks: on the node that was the primary
 * then. The answers are ignored: nodes refuse to resume what is not paused.
 */
async function resumeSync(world: World, instance: RealInstance): Promise<void> {
  const context = contextAt(world, world.config.snapshot);
  const mirrors = realDisksOf(context.now, instance).filter(({ dev_type }) => dev_type === "drbd");
  for (const node of new Set(mirrors.flatMap(({ nodes }) => nodes))) {
    const there = mirrors.filter(({ nodes }) => nodes.includes(node));
    await setSyncPaused(context, instance, there, false, node);
  }
}

/** OP_INSTANCE_DEACTIVATE_DISKS: deactivates the block devices of an instance. */
export const deactivateDisks: Unit<"OP_INSTANCE_DEACTIVATE_DISKS"> = {
  opcode: "OP_INSTANCE_DEACTIVATE_DISKS",

  locks: diskLocks,

  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    if (await areChecksAll(world, op)) return null;
    if (!op.force)
      await checkInstanceState(contextAt(world, now), instance, down, "cannot shutdown disks");
    await shutdownDisks(world, instance);
    return null;
  },
};
