/** OP_CLUSTER_SET_PARAMS: what holds for the whole cluster. */

import type { Snapshot } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import type { ClusterObject, Json, OpcodeOf } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { warn } from "../unit/feedback.js";
import { asShared } from "../unit/locks.js";
import type { Unit, World } from "../unit/unit.js";
import { distributeAncillaryFiles, hasMoreAncillaryFiles } from "./ancillary-files.js";
import { promotions } from "./candidate-pool.js";
import { certificateDigests, tellOfCandidates } from "./candidates.js";
import { changedCluster } from "./changed-cluster.js";
import { communicationJobs, tellOfCommunication } from "./communication-network.js";
import { ensureGuestDaemon } from "./guest-daemon.js";
import { masterAddress } from "./master-address.js";
import { checkOnNodes } from "./parameters-on-nodes.js";
import { newViolations } from "./policy-change.js";
import { distributeSsconf } from "./ssconf.js";
import { checkArguments, checkStorage } from "./storage-change.js";

type Op = OpcodeOf<"OP_CLUSTER_SET_PARAMS">;

export const setClusterParams: Unit<"OP_CLUSTER_SET_PARAMS"> = {
  opcode: "OP_CLUSTER_SET_PARAMS",
  hooks: masterHooks("cluster-modify", "CLUSTER", ({ vg_name }, { cluster }) => ({
    OP_TARGET: cluster.cluster_name,
    NEW_VG_NAME: vg_name,
  })),

  locks: () =>
    asShared(groupLockName("instance"), groupLockName("nodegroup"), groupLockName("node")),

  async run(op, world) {
    const now = world.config.snapshot;
    checkArguments(op);
    await checkStorage(op, world, now);
    // Only to see whether it can be done; what is stored is made of what is there by then.
    const after = withCluster(
      now,
      changedCluster(op, now, () => undefined),
    );
    const violating = op.ipolicy === undefined ? [] : newViolations(now, after);
    if (violating.length > 0) {
      warn(
        world,
        `After the ipolicy change the following instances violate them: ${violating.join(", ")}`,
      );
    }
    await checkOnNodes(op, world, now, after);
    if (await areChecksAll(world, op)) return null;
    return carryOut(op, world, now);
  },
};

async function carryOut(op: Op, world: World, now: Snapshot): Promise<Json> {
  tellOfCommunication(op, world, now);
  await leaveNetdev(op, world, now);
  const resized = withCluster(now, {
    ...now.cluster,
    candidate_pool_size: op.candidate_pool_size ?? now.cluster.candidate_pool_size,
  });
  const promoted =
    op.candidate_pool_size === undefined ? [] : promotions(resized, new Set(), world.random);
  const digests = await certificateDigests(world, promoted);
  const { snapshot, value: lines } = await world.config.change((latest) => {
    const told: string[] = [];
    const cluster = changedCluster(op, latest, (text) => told.push(text));
    const raised = promoted.map(({ uuid }) => ({
      ...latest.expectNode(uuid),
      master_candidate: true,
    }));
    const candidate_certs = { ...cluster.candidate_certs, ...Object.fromEntries(digests) };
    return {
      changes: [
        ...raised.map((object) => ({ kind: "put", type: "node", object }) as const),
        { kind: "cluster", object: { ...cluster, candidate_certs } },
      ],
      value: told,
    };
  }, world);
  for (const line of lines) world.log(line);
  if (op.candidate_pool_size !== undefined) tellOfCandidates(world, promoted, snapshot, new Set());
  await takeNetdev(op, world, snapshot);
  const changesGuests =
    op.enabled_hypervisors !== undefined ||
    snapshot.cluster.enabled_user_shutdown !== now.cluster.enabled_user_shutdown;
  if (changesGuests) {
    const usesKvm = [now, snapshot].some(({ cluster }) =>
      cluster.enabled_hypervisors.includes("kvm"),
    );
    await ensureGuestDaemon(world, [...snapshot.nodes()], { silent: !usesKvm });
  }
  if (hasMoreAncillaryFiles(now, snapshot)) await distributeAncillaryFiles(world);
  await distributeSsconf(world);
  return communicationJobs(op, world, now);
}

const withCluster = (now: Snapshot, object: ClusterObject): Snapshot =>
  now.with([{ kind: "cluster", object }], { serial: now.serial, mtime: now.mtime });

/** The master gives up the cluster's address where it is, or changes its netmask. */
async function leaveNetdev(op: Op, world: World, now: Snapshot): Promise<void> {
  const { master_node, master_netdev, master_netmask } = now.cluster;
  if (op.master_netdev) {
    world.log(`Shutting down master ip on the current netdev (${master_netdev})`);
    const address = masterAddress(now);
    const answer = await ask(world, master_node, "node_deactivate_master_ip", address);
    if (!op.force) valueOrFail(answer, "Could not disable the master ip");
    else if (!answer.ok) {
      world.log(`Could not disable the master ip (continuing anyway): ${answer.message}`);
    }
    world.log(`Changing master_netdev from ${master_netdev} to ${op.master_netdev}`);
  }
  if (op.master_netmask) {
    world.log(`Changing master IP netmask to ${op.master_netmask}`);
    const answer = await ask(world, master_node, "node_change_master_netmask", {
      ...{ netmask: op.master_netmask, oldNetmask: master_netmask },
      ...{ ip: now.cluster.master_ip, netdev: master_netdev },
    });
    if (!answer.ok) world.log(`Could not change the master IP netmask: ${answer.message}`);
  }
}

async function takeNetdev(op: Op, world: World, now: Snapshot): Promise<void> {
  if (!op.master_netdev) return;
  world.log(`Starting the master ip on the new master netdev (${op.master_netdev})`);
  const { master_node } = now.cluster;
  const answer = await ask(world, master_node, "node_activate_master_ip", masterAddress(now));
  if (answer.ok) return;
  warn(
    world,
    `Could not re-enable the master ip on the master, please restart manually: ${answer.message}`,
  );
}
