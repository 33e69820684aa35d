/** OP_CLUSTER_RENAME: gives the cluster another name and the address that the name resolves to. */

import { putCluster } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit } from "../unit/unit.js";
import { masterAddress } from "./master-ip.js";
import { distributeSsconf } from "./ssconf.js";

/** Port of the node daemon. */
const daemonPort = 1811;

export const renameCluster: Unit<"OP_CLUSTER_RENAME"> = {
  opcode: "OP_CLUSTER_RENAME",
  hooks: {
    path: "cluster-rename",
    object: "CLUSTER",
    environment: (op, { cluster }) => ({ OP_TARGET: cluster.cluster_name, NEW_NAME: op.name }),
    nodes: (_, now) => ({
      before: [now.cluster.master_node],
      after: Array.from(now.nodes(), ({ uuid }) => uuid),
    }),
  },

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    const found = await world.resolver.resolve(op.name);
    if (!found.ok) {
      throw new PrereqError(
        "resolver_error",
        `The given name (${op.name}) does not resolve: ${found.reason}`,
      );
    }
    const { name, ip } = found;
    const { cluster_name, master_ip, master_node } = now.cluster;
    if (name === cluster_name && ip === master_ip) {
      wrongInput("Neither the name nor the IP address of the cluster has changed");
    }
    if (ip !== master_ip && (await world.resolver.isAlive(ip, daemonPort))) {
      throw new PrereqError(
        "resource_not_unique",
        `The given cluster IP address (${ip}) is reachable on the network`,
      );
    }
    if (await areChecksAll(world, op)) return name;

    valueOrFail(
      await ask(world, master_node, "node_deactivate_master_ip", masterAddress(now)),
      "Could not disable the master role",
    );
    try {
      await applied(world, (latest) => {
        const object = { ...latest.cluster, cluster_name: name, master_ip: ip };
        return [putCluster(object)];
      });
      await distributeSsconf(world);
    } finally {
      const address = { ...masterAddress(now), ip };
      const answer = await ask(world, master_node, "node_activate_master_ip", address);
      if (!answer.ok) {
        warn(
          world,
          `Could not re-enable the master role on the master, please restart manually: ${answer.message}`,
        );
      }
    }
    return name;
  },
};
