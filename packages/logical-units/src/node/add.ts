/** OP_NODE_ADD: adds a node to the cluster, or readds a former member. */

import type { Snapshot } from "@ganeti-ts/config";
import { filledNdparams, isIpv4, newUuid, protocolVersion, put } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import { type NodeObject, NodeUuid, type OpcodeOf } from "@ganeti-ts/protocol";
import { distributeAncillaryFiles } from "../cluster/ancillary-files.js";
import { hasPlaceForOneMore } from "../cluster/candidate-pool.js";
import { withCertificates } from "../cluster/candidates.js";
import { ensureGuestDaemon } from "../cluster/guest-daemon.js";
import { checkNodeLevel, typedNdparams } from "../cluster/parameters.js";
import { distributeSsconf } from "../cluster/ssconf.js";
import { joinSshKeys } from "../cluster/ssh-keys.js";
import { staticStates } from "../cluster/static-state.js";
import { sharedVolumes } from "../cluster/verify/verify-facts.js";
import type { HookVariables } from "../hooks/hooks.js";
import { clearNode } from "../instance/disks/leftovers.js";
import { ask, created, info, valueOrFail, valueOrRefuse, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import type { Unit, UnitContext, World } from "../unit/unit.js";
import { applied, areChecksAll, contextAt } from "../unit/unit.js";
import { checkAddresses, checkHoming } from "./addresses.js";

type Op = OpcodeOf<"OP_NODE_ADD">;

export const addNode: Unit<"OP_NODE_ADD"> = {
  opcode: "OP_NODE_ADD",
  hooks: {
    path: "node-add",
    object: "NODE",
    environment: (_op, _now, { variables = {} }) => variables,
    nodes: (_, now, { nodes = [] }) => {
      const others = Array.from(now.nodes(), ({ uuid }) => uuid);
      const before = others.filter((uuid) => !nodes.includes(uuid));
      return { before, after: [...before, ...nodes] };
    },
  },

  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const { node, before } = await nodeToBe(context, op);
    await world.nodes.introduce({
      uuid: node.uuid,
      name: node.name,
      primaryIp: node.primary_ip,
      secondaryIp: node.secondary_ip,
    });
    await checkAnswers(world, node);
    // A node marked offline gets no further calls before it is brought online.
    if (!before?.offline) await checkStorage(context, node);
    if (await areChecksAll(world, op, { nodes: [node.uuid], variables: nodeVariables(node) }))
      return null;
    if (before?.offline) {
      await bringOnline(world, before);
      await checkStorage(context, node);
    }
    if (before !== undefined) await clearNode(world, node.uuid);
    if (op.readd) info(world, "Readding a node, the offline/drained flags were reset");
    if (node.master_candidate) info(world, "Node will be a master candidate");
    await prepare(context, node);

    const renewed = await world.masterHost.renewNodeCertificate(node.uuid);
    const tokens = valueOrFail(
      renewed.ok ? await ask(world, node.uuid, "node_crypto_tokens", {}) : renewed,
      `Could not retrieve the certificate digest of node ${node.name}`,
    );
    await applied(world, (latest) => {
      const known = latest.node(node.uuid);
      const object = known === undefined ? node : { ...node, serial_no: known.serial_no };
      const certificates = node.master_candidate
        ? withCertificates(latest.cluster, new Map([[node.uuid, tokens.digest]]))
        : withCertificates(latest.cluster, new Map(), [node.uuid]);
      return [put("node", object), certificates];
    });
    if (before !== undefined && !node.master_candidate) await demote(world, node);
    await ensureGuestDaemon(world, [node], { silent: true });
    await distributeAncillaryFiles(world);
    await distributeSsconf(world);
    if (before === undefined) created(world, "node", node);
    if (op.node_setup && now.cluster.modify_ssh_setup) {
      await joinSshKeys(world, node, { isReadded: before !== undefined });
    }
    return null;
  },
};

const nodeVariables = ({ name, ...node }: NodeObject): HookVariables => ({
  OP_TARGET: name,
  NODE_NAME: name,
  NODE_PIP: node.primary_ip,
  NODE_SIP: node.secondary_ip,
  MASTER_CAPABLE: node.master_capable,
  VM_CAPABLE: node.vm_capable,
});

/** The new node object and the existing one. @throws PrereqError */
async function nodeToBe(context: UnitContext, op: Op) {
  const { now } = context;
  const host = await hostOf(op, context);
  const master = now.expectNode(now.cluster.master_node);
  if (op.readd && host.name === master.name) wrongState("Cannot readd the master node");
  if (op.readd && op.group !== undefined) {
    wrongInput("Cannot pass a node group when a node is being readded");
  }
  const secondaryIp = secondaryOf(op, now, host.ip);
  const before = Array.from(now.nodes()).find(({ name }) => name === host.name);
  if (!op.readd && before !== undefined) {
    throw new PrereqError("already_exists", `Node ${host.name} is already in the configuration`);
  }
  if (op.readd && before === undefined) {
    throw new PrereqError("unknown_entity", `Node ${host.name} is not in the configuration`);
  }
  checkAddresses(now, host, secondaryIp, before);
  const vm_capable = op.vm_capable ?? before?.vm_capable ?? true;
  const master_capable = op.master_capable ?? before?.master_capable ?? true;
  if (before !== undefined && !vm_capable) checkHoldsNothing(now, before);
  checkHoming(master, host.ip, secondaryIp);
  const except = before === undefined ? undefined : new Set([before.uuid]);
  const master_candidate = master_capable && hasPlaceForOneMore(now, except);
  const ndparams = typedNdparams(op.ndparams ?? {});
  checkNodeLevel(op.ndparams ?? {});
  const states = staticStates(op, {});
  const node: NodeObject = {
    ...(before ?? {
      uuid: NodeUuid.parse(newUuid(now, context.random)),
      name: host.name,
      tags: [],
      group: groupOf(op, now),
    }),
    primary_ip: host.ip,
    secondary_ip: secondaryIp,
    master_candidate,
    ndparams,
    offline: false,
    drained: false,
    powered: true,
    master_capable,
    vm_capable,
    ...states,
  };
  return { node, before };
}

/** The only group if none is named. */
function groupOf(op: Op, now: Snapshot) {
  if (op.group !== undefined) return now.expectGroup(op.group).uuid;
  const [first, ...others] = now.groups();
  if (first !== undefined && others.length === 0) return first.uuid;
  wrongInput("More than one node group exists. Target group must be specified explicitly.");
}

/** The full name, and the given or resolved address. */
async function hostOf(op: Op, { resolver }: World) {
  const found = await resolver.resolve(op.node_name);
  if (found.ok) return { name: found.name, ip: op.primary_ip ?? found.ip };
  if (op.primary_ip !== undefined) return { name: op.node_name, ip: op.primary_ip };
  throw new PrereqError(
    "resolver_error",
    `The given name (${op.node_name}) does not resolve: ${found.reason}`,
  );
}

function secondaryOf(op: Op, now: Snapshot, primaryIp: string): string {
  if (op.secondary_ip === undefined && now.cluster.primary_ip_family === 10) {
    wrongInput(
      "When using a IPv6 primary address, a valid IPv4 address must be given as secondary",
    );
  }
  const secondaryIp = op.secondary_ip ?? primaryIp;
  if (isIpv4(secondaryIp)) return secondaryIp;
  wrongInput(`Secondary IP (${secondaryIp}) needs to be a valid IPv4 address`);
}

function checkHoldsNothing(now: Snapshot, { uuid, name }: NodeObject): void {
  const { primary, secondary } = now.instancesOfNode(uuid);
  if (primary.length + secondary.length === 0) return;
  wrongState(
    `Node ${name} being re-added with vm_capable flag set to false, but it already holds instances`,
  );
}

/** Checks that the node answers with our protocol version. @throws PrereqError */
async function checkAnswers(world: World, node: NodeObject): Promise<void> {
  const { protocol } = valueOrRefuse(
    await ask(world, node.uuid, "version", {}),
    `Can't get version information from node ${node.name}`,
  );
  if (protocol !== protocolVersion) {
    throw new PrereqError(
      "environment_error",
      `Version mismatch master version ${protocolVersion}, node version ${protocol}`,
    );
  }
}

/**
 * Brings it online as drained; if a later step fails, it stays drained and no instance is placed on
 * it.
 */
async function bringOnline({ config, ...world }: World, { uuid }: NodeObject): Promise<void> {
  await config.change((now) => {
    const object = { ...now.expectNode(uuid), offline: false, drained: true };
    return { changes: [put("node", object)], value: null };
  }, world);
}

/** @throws PrereqError if its volumes cannot be used unchanged */
async function checkStorage(context: UnitContext, node: NodeObject): Promise<void> {
  const { volume_group_name, cluster_name } = context.now.cluster;
  if (volume_group_name === undefined) return;
  const exclusiveStorage = filledNdparams(context.now, node).exclusive_storage;
  const looked = valueOrRefuse(
    await ask(context, node.uuid, "node_verify", {
      clusterName: cluster_name,
      physicalVolumes: [volume_group_name],
      ...(exclusiveStorage && { exclusiveStorage }),
    }),
    `Can't verify node ${node.name}`,
  );
  const shared = sharedVolumes(looked);
  const faults = (looked.physicalVolumes ?? []).flatMap(({ name, volumeGroup }) => [
    ...(name.includes(":") ? [`Invalid character ':' in PV '${name}' of VG '${volumeGroup}'`] : []),
    ...(shared.has(name)
      ? [`PV ${name} is shared among unrelated LVs (${shared.get(name)?.join(", ")})`]
      : []),
  ]);
  if (faults.length === 0) return;
  throw new PrereqError("environment_error", `Checks on node PVs failed: ${faults.join("; ")}`);
}

/**
 * Sets up names, addresses and virtual switches before the node joins the cluster. @throws
 * ExecError
 */
async function prepare(context: UnitContext, node: NodeObject): Promise<void> {
  const { now } = context;
  const { cluster } = now;
  const { uuid, name, primary_ip: primaryIp, secondary_ip: secondaryIp } = node;
  if (cluster.modify_etc_hosts) {
    const change = { action: "add", host: name, ip: primaryIp } as const;
    valueOrFail(
      await ask(context, cluster.master_node, "etc_hosts_modify", change),
      "Can't update hosts file with new host data",
    );
  }
  if (secondaryIp !== primaryIp) {
    const has = valueOrFail(
      await ask(context, uuid, "node_has_ip_address", { address: secondaryIp }),
      `Failure checking secondary ip on node ${name}`,
    );
    if (!has) throw new ExecError(lacksAddress(secondaryIp));
  }
  const seen = valueOrFail(
    await ask(context, cluster.master_node, "node_verify", {
      clusterName: cluster.cluster_name,
      ssh: { nodes: [name], more: {}, candidates: [] },
    }),
    `Cannot communicate with node ${now.node(cluster.master_node)?.name}`,
  );
  const unreached = Object.values(seen.unreachedBySsh ?? {});
  for (const why of unreached) {
    context.log(`ssh/hostname verification failed (checking from ${cluster.master_node}): ${why}`);
  }
  if (unreached.length > 0) throw new ExecError("ssh/hostname verification failed");
  const { ovs, ovs_name, ovs_link } = filledNdparams(now, node);
  if (!ovs) return;
  if (ovs_link === "") {
    info(
      context,
      "No physical interface for OpenvSwitch was given. OpenvSwitch will not have an outside" +
        " connection. This might not be what you want.",
    );
  }
  valueOrFail(
    await ask(context, uuid, "node_configure_ovs", { name: ovs_name, link: ovs_link || null }),
    "Failed to initialize OpenVSwitch on new node",
  );
}

export const lacksAddress = (address: string): string =>
  `Node claims it doesn't have the secondary ip you gave (${address}), please fix and re-run this command`;

async function demote(world: World, { uuid }: NodeObject): Promise<void> {
  const answer = await ask(world, uuid, "node_demote_from_mc", {});
  if (answer.ok) return;
  warn(world, `Node failed to demote itself from master candidate status: ${answer.message}`);
}
