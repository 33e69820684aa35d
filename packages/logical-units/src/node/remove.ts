/** OP_NODE_REMOVE: removes a node without instances from the cluster. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { put, removal } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import { dropping } from "../capacity/claim.js";
import { promotions } from "../cluster/candidate-pool.js";
import { answeringNodes, tellOfCandidates, withCertificates } from "../cluster/candidates.js";
import { distributeSsconf } from "../cluster/ssconf.js";
import { authorizeCandidates, leaveSshKeys } from "../cluster/ssh-keys.js";
import { onNodes } from "../hooks/hooks.js";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { wrongInput } from "../unit/refusals.js";
import { applied, areChecksAll, contextAt, type Unit } from "../unit/unit.js";

export const removeNode: Unit<"OP_NODE_REMOVE"> = {
  opcode: "OP_NODE_REMOVE",
  hooks: {
    path: "node-remove",
    object: "NODE",
    environment: ({ node_name: name }) => ({ OP_TARGET: name, NODE_NAME: name }),
    nodes(op, now) {
      const { uuid: own } = namedNode(now, op);
      return onNodes(...Array.from(now.nodes(), ({ uuid }) => uuid).filter((one) => one !== own));
    },
  },

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    if (node.uuid === now.cluster.master_node) {
      wrongInput("Node is the master node, failover to another node is required");
    }
    const { primary, secondary } = now.instancesOfNode(node.uuid);
    const [instance] = [...primary, ...secondary];
    if (instance !== undefined) {
      wrongInput(
        `Instance ${instanceLabel(instance)} is still running on the node, please remove first`,
      );
    }
    // Leftovers of ended jobs that cannot be removed while the node is offline are dropped with the node.
    if (now.claimsOfNode(node.uuid).length > 0 && !node.offline) {
      throw new PrereqError(
        "temp_insufficient_resources",
        `Leftovers of a job on node ${node.name} are not removed yet, try again later`,
      );
    }
    if (await areChecksAll(world, op)) return null;

    await leaveSshKeys(world, node);
    const except = new Set([node.uuid]);
    const raised = promotions(now, except, world.random);
    const { promoted, digests } = await answeringNodes(world, raised);
    const snapshot = await applied(world, (latest) => {
      const before = latest.expectNode(node.uuid);
      const candidates = promoted.map(({ uuid }) => ({
        ...latest.expectNode(uuid),
        master_candidate: true,
      }));
      return [
        ...candidates.map((object) => put("node", object)),
        ...dropping(latest, latest.claimsOfNode(before.uuid)),
        removal("node", before.uuid),
        withCertificates(latest.cluster, digests, [before.uuid]),
      ];
    });
    tellOfCandidates(contextAt(world, snapshot), promoted, except);
    await world.hooks.afterOn(node.uuid);
    const left = await ask(world, node.uuid, "node_leave_cluster", {
      modifySshSetup: now.cluster.modify_ssh_setup,
    });
    if (!left.ok) {
      warn(
        world,
        `Errors encountered on the remote node while leaving the cluster: ${left.message}`,
      );
    }
    if (now.cluster.modify_etc_hosts) {
      const change = { action: "remove", host: node.name, ip: null } as const;
      valueOrFail(
        await ask(world, now.cluster.master_node, "etc_hosts_modify", change),
        "Can't update hosts file with new host data",
      );
    }
    await distributeSsconf(world);
    // The master reads in its ssconf files which nodes there are: without the one that has left.
    await authorizeCandidates(world, promoted);
    return null;
  },
};
