/**
 * OP_CLUSTER_REDIST_CONF: distributes the ssconf values and the ancillary files to every node
 * again.
 */

import { groupLockName } from "@ganeti-ts/locking";
import { areChecksAll } from "../unit/checks-done.js";
import { asShared } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { distributeAncillaryFiles } from "./ancillary-files.js";
import { distributeSsconf } from "./ssconf.js";

export const redistributeConfig: Unit<"OP_CLUSTER_REDIST_CONF"> = {
  opcode: "OP_CLUSTER_REDIST_CONF",

  locks: () => asShared(groupLockName("node")),

  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    await distributeAncillaryFiles(world);
    await distributeSsconf(world);
    return null;
  },
};
