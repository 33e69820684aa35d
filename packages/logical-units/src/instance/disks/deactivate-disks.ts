/** OP_INSTANCE_DEACTIVATE_DISKS: deactivates the block devices of an instance. */

import { areChecksAll } from "../../unit/checks-done.js";
import { contextAt } from "../../unit/context.js";
import type { Unit } from "../../unit/unit.js";
import { checkInstanceState } from "../running/running.js";
import { down, namedRealInstance } from "../state.js";
import { shutdownDisks } from "./activation.js";
import { diskLocks } from "./disk-locks.js";

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
