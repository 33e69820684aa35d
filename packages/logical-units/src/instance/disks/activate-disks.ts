/** OP_INSTANCE_ACTIVATE_DISKS: activates the block devices of an instance. */

import { ExecError } from "@ganeti-ts/job-queue";
import { areChecksAll } from "../../unit/checks-done.js";
import type { Unit } from "../../unit/unit.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { markDisks, namedRealInstance } from "../state.js";
import { assembleDisks } from "./activation.js";
import { diskLocks } from "./disk-locks.js";
import { waitForSync } from "./sync.js";

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
    if (op.wait_for_sync && !(await waitForSync(world, instance))) {
      await markDisks(world, instance.uuid, false);
      throw new ExecError("Some disks of the instance are degraded!");
    }
    return devices;
  },
};
