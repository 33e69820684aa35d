/**
 * OP_CLUSTER_MASTER_FAILOVER: makes another node the master and moves the cluster's address there.
 * Ganeti does it outside of its queue, on the future master. Source of checks and texts: Ganeti,
 * bootstrap.MasterFailover.
 */

import { putCluster } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import type { NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { ask, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit, type World } from "../unit/unit.js";
import { distributeAncillaryFiles } from "./ancillary-files.js";
import { masterAddress } from "./master-ip.js";
import { distributeSsconf } from "./ssconf.js";

type Op = OpcodeOf<"OP_CLUSTER_MASTER_FAILOVER">;

/** The result contains the names of the old and the new master. */
export const masterFailover: Unit<"OP_CLUSTER_MASTER_FAILOVER"> = {
  opcode: "OP_CLUSTER_MASTER_FAILOVER",

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    const old = now.expectNode(now.cluster.master_node);
    const wanted = now.expectNode(op.node_name);
    checkCandidate(wanted, old, world);
    if (world.copies !== undefined) {
      wrongState(
        `The data of this cluster are with its server: stop the server on ${old.name}, then run` +
          ` gnt-cluster master-failover on ${wanted.name}`,
      );
    }
    await checkAnswers(op, wanted, world);
    if (await areChecksAll(world, op)) return [old.name, wanted.name];

    const address = masterAddress(now);
    const given = await ask(world, old.uuid, "node_deactivate_master_ip", address);
    if (!given.ok) {
      warn(
        world,
        `Could not disable the master IP on ${old.name}: ${given.message}. See that the node does not have` +
          " it when it comes back.",
      );
    }
    await applied(world, (latest) => {
      const object = { ...latest.cluster, master_node: wanted.uuid };
      return [putCluster(object)];
    });
    const taken = await ask(world, wanted.uuid, "node_activate_master_ip", address);
    if (!taken.ok) {
      warn(
        world,
        `The master IP did not come up; the cluster should still be working, but not reachable by it: ${taken.message}`,
      );
    }
    await distributeAncillaryFiles(world);
    await distributeSsconf(world);
    return [old.name, wanted.name];
  },
};

function checkCandidate(wanted: NodeObject, old: NodeObject, { config }: World): void {
  if (wanted.uuid === old.uuid) wrongInput(`${old.name} is already the master`);
  if (wanted.master_candidate && !wanted.offline) return;
  const candidates = Array.from(config.snapshot.nodes())
    .filter((node) => node.master_candidate && !node.offline && node.uuid !== old.uuid)
    .map(({ name }) => name);
  wrongState(
    `${wanted.name} is not among the nodes marked as master candidates. Only these nodes can become` +
      ` masters. Current list of master candidates is:\n${candidates.join("\n")}`,
  );
}

/** The new master must answer and, unless voting is skipped, so must most nodes. */
async function checkAnswers(op: Op, wanted: NodeObject, world: World): Promise<void> {
  const voters = Array.from(world.config.snapshot.nodes()).filter(
    ({ offline }) => !(op.ignore_offline_nodes && offline),
  );
  const asked = op.no_voting ? [wanted] : voters;
  const answers = await Promise.all(
    asked.map(async (node) => ({
      node,
      healthy: !node.offline && (await ask(world, node.uuid, "version", {})).ok,
    })),
  );
  const unhealthy = answers.filter(({ healthy }) => !healthy).map(({ node }) => node);
  if (unhealthy.includes(wanted)) {
    throw new PrereqError("environment_error", `${wanted.name} does not answer`);
  }
  if (!op.no_voting && 2 * (voters.length - unhealthy.length) <= voters.length) {
    throw new PrereqError(
      "environment_error",
      "Master-failover with voting is only possible if the majority of nodes are still healthy; use the" +
        " --no-voting option after ensuring by other means that you won't end up in a dual-master scenario." +
        ` Unhealthy nodes: ${unhealthy.map(({ name }) => name).join(", ")}`,
    );
  }
}
