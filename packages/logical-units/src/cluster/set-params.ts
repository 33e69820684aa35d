/** OP_CLUSTER_SET_PARAMS: changes the parameters of the cluster. */
import { instanceLabel } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import { defaultHvparams, policyViolations, put, putCluster } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import { groupLockName } from "@ganeti-ts/locking";
import type { ClusterObject, Json, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { masterHooks } from "../hooks/hooks.js";
import { checkHvparams } from "../instance/running/node-checks.js";
import { instancesOfGroup } from "../network/conflicts.js";
import { ask, valueOrFail, valueOrRefuse, warn } from "../unit/effects.js";
import { asShared } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { areChecksAll, contextAt, type Unit, type UnitContext } from "../unit/unit.js";
import { distributeAncillaryFiles, hasMoreAncillaryFiles } from "./ancillary-files.js";
import { promotions } from "./candidate-pool.js";
import { answeringNodes, tellOfCandidates } from "./candidates.js";
import { allocatorLists, changedCluster } from "./changed-cluster.js";
import { communicationJobs, tellOfCommunication } from "./communication-network.js";
import { ensureGuestDaemon } from "./guest-daemon.js";
import { masterAddress } from "./master-ip.js";
import { distributeSsconf } from "./ssconf.js";
import { authorizeCandidates } from "./ssh-keys.js";
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
    const context = contextAt(world, now);
    checkArguments(op);
    await checkStorage(context, op);
    // Only a check: the stored object is computed from the configuration at the time of the change.
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
    await checkOnNodes(context, op, after);
    if (await areChecksAll(world, op)) return null;
    return carryOut(context, op);
  },
};

async function carryOut(context: UnitContext, op: Op): Promise<Json> {
  const { now } = context;
  tellOfCommunication(context, op);
  await leaveNetdev(context, op);
  const resized = withCluster(now, {
    ...now.cluster,
    candidate_pool_size: op.candidate_pool_size ?? now.cluster.candidate_pool_size,
  });
  const { promoted, digests } = await answeringNodes(
    context,
    op.candidate_pool_size === undefined ? [] : promotions(resized, new Set(), context.random),
  );
  const { snapshot, value: lines } = await context.config.change((latest) => {
    const told: string[] = [];
    const cluster = changedCluster(op, latest, (text) => told.push(text));
    const raised = promoted.map(({ uuid }) => ({
      ...latest.expectNode(uuid),
      master_candidate: true,
    }));
    const candidate_certs = { ...cluster.candidate_certs, ...Object.fromEntries(digests) };
    return {
      changes: [
        ...raised.map((object) => put("node", object)),
        putCluster({ ...cluster, candidate_certs }),
      ],
      value: told,
    };
  }, context);
  for (const line of lines) context.log(line);
  const changed = contextAt(context, snapshot);
  if (op.candidate_pool_size !== undefined) tellOfCandidates(changed, promoted, new Set());
  await authorizeCandidates(changed, promoted);
  await takeNetdev(changed, op);
  const changesGuests =
    op.enabled_hypervisors !== undefined ||
    snapshot.cluster.enabled_user_shutdown !== now.cluster.enabled_user_shutdown;
  if (changesGuests) {
    const usesKvm = [now, snapshot].some(({ cluster }) =>
      cluster.enabled_hypervisors.includes("kvm"),
    );
    await ensureGuestDaemon(context, [...snapshot.nodes()], { silent: !usesKvm });
  }
  if (hasMoreAncillaryFiles(now, snapshot)) await distributeAncillaryFiles(context);
  await distributeSsconf(context);
  return communicationJobs(context, op);
}

const withCluster = (now: Snapshot, object: ClusterObject): Snapshot =>
  now.with([putCluster(object)], { serial: now.serial, mtime: now.mtime });

/** The master takes the cluster's address down on the old device, or changes its netmask. */
async function leaveNetdev(context: UnitContext, op: Op): Promise<void> {
  const { now } = context;
  const { master_node, master_netdev, master_netmask } = now.cluster;
  if (op.master_netdev) {
    context.log(`Shutting down master ip on the current netdev (${master_netdev})`);
    const address = masterAddress(now);
    const answer = await ask(context, master_node, "node_deactivate_master_ip", address);
    if (!op.force) valueOrFail(answer, "Could not disable the master ip");
    else if (!answer.ok) {
      context.log(`Could not disable the master ip (continuing anyway): ${answer.message}`);
    }
    context.log(`Changing master_netdev from ${master_netdev} to ${op.master_netdev}`);
  }
  if (op.master_netmask) {
    context.log(`Changing master IP netmask to ${op.master_netmask}`);
    const answer = await ask(context, master_node, "node_change_master_netmask", {
      netmask: op.master_netmask,
      oldNetmask: master_netmask,
      ip: now.cluster.master_ip,
      netdev: master_netdev,
    });
    if (!answer.ok) context.log(`Could not change the master IP netmask: ${answer.message}`);
  }
}

async function takeNetdev(context: UnitContext, op: Op): Promise<void> {
  if (!op.master_netdev) return;
  context.log(`Starting the master ip on the new master netdev (${op.master_netdev})`);
  const { master_node } = context.now.cluster;
  const answer = await ask(
    context,
    master_node,
    "node_activate_master_ip",
    masterAddress(context.now),
  );
  if (answer.ok) return;
  warn(
    context,
    `Could not re-enable the master ip on the master, please restart manually: ${answer.message}`,
  );
}

/** Instances that met their group's policy and no longer do. O(instances). */
function newViolations(before: Snapshot, after: Snapshot): readonly string[] {
  return Array.from(before.groups())
    .flatMap((group) =>
      instancesOfGroup(before, group).filter(
        (instance) =>
          policyViolations(after, instance, group).length > 0 &&
          policyViolations(before, instance, group).length === 0,
      ),
    )
    .map(instanceLabel)
    .sort(compareNaturally);
}

/** `after` is the cluster as it will be. @throws PrereqError */
async function checkOnNodes(context: UnitContext, op: Op, after: Snapshot): Promise<void> {
  const nodes = Array.from(context.now.nodes(), ({ uuid }) => uuid);
  const { cluster } = after;
  const afterwards = contextAt(context, after);
  const touched = new Set([...Object.keys(op.hvparams ?? {}), ...(op.enabled_hypervisors ?? [])]);
  for (const name of touched) {
    checkKnown(name);
    await checkHvparams(afterwards, nodes, name, (cluster.hvparams[name] ?? {}) as JsonObject);
  }
  for (const [os, sets] of Object.entries(op.os_hvp === undefined ? {} : cluster.os_hvp)) {
    for (const [name, hvparams] of Object.entries(sets)) {
      if (op.os_hvp?.[os] === undefined) continue;
      checkKnown(name);
      const filled = { ...cluster.hvparams[name], ...(hvparams as JsonObject) };
      await checkHvparams(afterwards, nodes, name, filled as JsonObject);
    }
  }
  const systems = new Set([
    ...Object.keys(op.osparams ?? {}),
    ...Object.keys(op.osparams_private_cluster ?? {}),
  ]);
  for (const name of systems) {
    const parameters = {
      ...cluster.osparams[name],
      ...cluster.osparams_private_cluster[name],
    } as JsonObject;
    valueOrRefuse(
      await ask(context, cluster.master_node, "os_validate", {
        required: false,
        name,
        checks: ["parameters"],
        parameters,
        forceVariant: false,
      }),
      `OS Parameters validation failed on node ${context.now.node(cluster.master_node)?.name}`,
    );
  }
  for (const name of Object.values(allocatorLists(op)).flat()) {
    if (await context.allocators.exists(name)) continue;
    wrongInput(`Invalid default iallocator script '${name}' specified`);
  }
}

function checkKnown(hypervisor: string): void {
  if (Object.hasOwn(defaultHvparams, hypervisor)) return;
  throw new OperationError("HypervisorError", [`Unknown hypervisor type '${hypervisor}'`]);
}
