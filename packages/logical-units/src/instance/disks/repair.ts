/** OP_INSTANCE_REPAIR: recreates only those disks on the primary that have lost their storage. */

import { areChecksAll } from "../../unit/checks-done.js";
import type { Unit } from "../../unit/unit.js";
import { faultyOnPrimary } from "../replacement/faulty.js";
import { onlySecondary } from "../replacement/replacement.js";
import { runReplacement } from "../replacement/run.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { namedRealInstance } from "../state.js";
import { storageLocks } from "./disk-locks.js";

export const repair: Unit<"OP_INSTANCE_REPAIR"> = {
  opcode: "OP_INSTANCE_REPAIR",

  locks: storageLocks,

  /** Result: indices of the recreated disks. */
  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    const other = onlySecondary(now, instance);
    const { primary_node: target } = instance;
    for (const node of [target, other]) checkNodeOnline(now, node);
    const indices = await faultyOnPrimary(world, instance);
    if (await areChecksAll(world, op)) return null;
    const earlyRelease = op.early_release;
    await runReplacement(world, { instance, indices, target, other, earlyRelease });
    return [...indices];
  },
};
