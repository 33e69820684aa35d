/**
 * OP_CLUSTER_REDIST_CONF: distributes the ssconf values and the ancillary files to every node
 * again.
 */

import { groupLockName } from "@ganeti-ts/locking";
import { areChecksAll } from "../unit/checks-done.js";
import { info } from "../unit/feedback.js";
import { asShared } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { distributeAncillaryFiles } from "./ancillary-files.js";
import { distributeSsconf } from "./ssconf.js";

export const redistributeConfig: Unit<"OP_CLUSTER_REDIST_CONF"> = {
  opcode: "OP_CLUSTER_REDIST_CONF",

  locks: () => asShared(groupLockName("node")),

  async run(op, world) {
    if (await areChecksAll(world, op)) return null;
    const incomplete = await distributeAncillaryFiles(world);
    const written = await distributeSsconf(world, { everything: true });
    const upToDate = written.filter((name) => !incomplete.has(name));
    const nodes = `${upToDate.length} of ${world.config.snapshot.nodeCount} nodes`;
    info(
      world,
      world.copies === undefined
        ? `The files of ${nodes} are up to date; instances, groups, networks and nodes that return reach them` +
            " only with the next gnt-cluster redist-conf"
        : `The copies of ${nodes} are up to date`,
    );
    return null;
  },
};
