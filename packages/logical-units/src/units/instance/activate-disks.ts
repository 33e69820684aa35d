/** OP_INSTANCE_ACTIVATE_DISKS: brings the block devices of an instance up. */

import { areChecksAll } from "../../checks-done.js";
import { ExecError } from "../../errors.js";
import { assembleDisks } from "../../instance/activation.js";
import { diskLocks } from "../../instance/disk-locks.js";
import { checkNodeOnline } from "../../instance/node-checks.js";
import { markDisks, namedRealInstance } from "../../instance/state.js";
import { waitForSync } from "../../instance/sync.js";
import type { Unit } from "../../unit.js";

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
