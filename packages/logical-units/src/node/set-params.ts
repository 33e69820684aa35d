/**
 * OP_NODE_SET_PARAMS: changes role, capabilities, power state, secondary address and parameters of
 * a node.
 */

import { type ConfigChange, faultsOfChanges, put, type Snapshot } from "@ganeti-ts/config";
import { groupLockName } from "@ganeti-ts/locking";
import type { Json, JsonObject, NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { pythonLiteral } from "@ganeti-ts/protocol";
import { distributeAncillaryFiles } from "../cluster/ancillary-files.js";
import { promotions } from "../cluster/candidate-pool.js";
import { answeringNodes, tellOfCandidates, withCertificates } from "../cluster/candidates.js";
import { ensureGuestDaemon } from "../cluster/guest-daemon.js";
import { changedParameters, checkNodeLevel, ndparamTypes } from "../cluster/parameters.js";
import { distributeSsconf } from "../cluster/ssconf.js";
import { authorizeCandidates, revokeCandidate } from "../cluster/ssh-keys.js";
import { staticStates } from "../cluster/static-state.js";
import { onNodes } from "../hooks/hooks.js";
import { clearNode } from "../instance/disks/leftovers.js";
import { ask, valueOrFail, warn } from "../unit/effects.js";
import { asExclusive, asShared, instanceLock, nodeLock, nodeResourceLock } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { areChecksAll, contextAt, type Unit, type World } from "../unit/unit.js";
import type { Role, RoleChange } from "./role-change.js";
import { checkArguments, mayDemote, roleChange } from "./role-change.js";
import { checkSecondaryIp, mirroredInstances } from "./secondary-ip.js";

type Op = OpcodeOf<"OP_NODE_SET_PARAMS">;

export const setNodeParams: Unit<"OP_NODE_SET_PARAMS"> = {
  opcode: "OP_NODE_SET_PARAMS",
  hooks: {
    path: "node-modify",
    object: "NODE",
    environment: (op) => ({
      OP_TARGET: op.node_name,
      MASTER_CANDIDATE: op.master_candidate,
      OFFLINE: op.offline,
      DRAINED: op.drained,
      MASTER_CAPABLE: op.master_capable,
      VM_CAPABLE: op.vm_capable,
    }),
    nodes: (op, now) => onNodes(now.cluster.master_node, namedNode(now, op).uuid),
  },

  /** All nodes if others may be promoted; instances whose mirrors use the changed address. */
  locks(op, now) {
    const node = namedNode(now, op);
    const nodes =
      op.auto_promote && mayDemote(op)
        ? [groupLockName("node"), groupLockName("node-res")]
        : [nodeLock(node.uuid), nodeResourceLock(node.uuid)];
    const instances = op.secondary_ip === undefined ? [] : mirroredInstances(now, node);
    return [...asExclusive(...nodes), ...asShared(...instances.map(instanceLock))];
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const node = namedNode(now, op);
    checkArguments(op);
    const change = await roleChange(context, op, node);
    if (op.secondary_ip !== undefined) await checkSecondaryIp(context, op, node);
    const asked = { ...op, ...change.asked };
    const changed = changedNode(asked, node);
    if (await areChecksAll(world, op)) return null;

    const lockAll = op.auto_promote && mayDemote(op);
    const except = new Set([node.uuid]);
    const { promoted, digests: others } = await answeringNodes(
      world,
      lockAll && change.from !== change.to ? promotions(now, except, world.random) : [],
    );
    const isRaised = change.from !== "candidate" && change.to === "candidate";
    const digests = isRaised ? new Map([...others, await ownDigest(world, node)]) : others;
    const { snapshot, value: faults } = await world.config.change((latest) => {
      const object = { ...changedNode(asked, latest.expectNode(node.uuid)), ...flagsOf[change.to] };
      const raised = promoted.map(({ uuid }) => ({
        ...latest.expectNode(uuid),
        master_candidate: true,
      }));
      const gone = change.from === "candidate" && change.to !== "candidate" ? [node.uuid] : [];
      const certificates =
        digests.size + gone.length > 0 ? [withCertificates(latest.cluster, digests, gone)] : [];
      const changes: readonly ConfigChange[] = [
        ...[object, ...raised].map((one) => put("node", one)),
        ...certificates,
      ];
      return { changes, value: faultsAfter(latest, changes) };
    }, world);
    for (const fault of faults) world.log(`Configuration data is not consistent: ${fault}`);
    if (lockAll && change.from !== change.to)
      tellOfCandidates(contextAt(world, snapshot), promoted, except);
    await tellNode(world, node, change);
    const isBack = change.from === "offline" && change.to !== "offline";
    if (isBack) await clearNode(world, node.uuid);
    if (isBack || isRaised) await distributeAncillaryFiles(world, [node.uuid]);
    const after = snapshot.expectNode(node.uuid);
    const usesKvm = snapshot.cluster.enabled_hypervisors.includes("kvm");
    await ensureGuestDaemon(world, [after], { silent: !usesKvm });
    await changeSshKeys(world, node, change, promoted);
    return shownChanges(asked, changed, change);
  },
};

/** @throws ExecError, with the role as it was: a candidate without its certificate could call no other node */
async function ownDigest(world: World, { uuid, name }: NodeObject) {
  const { digest } = valueOrFail(
    await ask(world, uuid, "node_crypto_tokens", {}),
    `Could not retrieve the certificate digest of node ${name}`,
  );
  return [uuid, digest] as const;
}

/** Warnings that do not refuse the change, e.g. too few master candidates. */
const faultsAfter = (now: Snapshot, changes: readonly ConfigChange[]): readonly string[] =>
  faultsOfChanges(now, now.with(changes, { serial: now.serial, mtime: now.mtime }), changes);

/** The node with all changes but that of its role. */
function changedNode(op: Op, before: NodeObject): NodeObject {
  let node = before;
  if (op.ndparams !== undefined && Object.keys(op.ndparams).length > 0) {
    const ndparams = changedParameters(before.ndparams as JsonObject, op.ndparams, ndparamTypes);
    checkNodeLevel(op.ndparams);
    node = { ...node, ndparams };
  }
  const { powered, master_capable, vm_capable, secondary_ip } = op;
  if (powered !== undefined) node = { ...node, powered };
  if (master_capable !== undefined) node = { ...node, master_capable };
  if (vm_capable !== undefined) node = { ...node, vm_capable };
  if (secondary_ip !== undefined) node = { ...node, secondary_ip };
  return { ...node, ...staticStates(op, before) };
}

const flagsOf: Readonly<
  Record<Role, Pick<NodeObject, "master_candidate" | "drained" | "offline">>
> = {
  candidate: { master_candidate: true, drained: false, offline: false },
  drained: { master_candidate: false, drained: true, offline: false },
  offline: { master_candidate: false, drained: false, offline: true },
  regular: { master_candidate: false, drained: false, offline: false },
};

/** Demotes the node itself: a former candidate removes the data that only candidates have. */
async function tellNode(world: World, node: NodeObject, { from, to }: RoleChange): Promise<void> {
  if (from !== "candidate" || to === "candidate" || to === "offline") return;
  const answer = await ask(world, node.uuid, "node_demote_from_mc", {});
  if (!answer.ok) warn(world, `Node failed to demote itself: ${answer.message}`);
}

/** Every node accepts the ssh keys of exactly the candidates. @throws ExecError */
async function changeSshKeys(
  world: World,
  node: NodeObject,
  { from, to }: RoleChange,
  promoted: readonly NodeObject[],
): Promise<void> {
  const isCandidate = to === "candidate";
  const wasCandidate = from === "candidate";
  if (!world.config.snapshot.cluster.modify_ssh_setup) return;
  if (isCandidate === wasCandidate && promoted.length === 0) return;
  // The master reads in its ssconf files which nodes are online.
  await distributeSsconf(world);
  await authorizeCandidates(world, promoted);
  if (wasCandidate && !isCandidate) await revokeCandidate(world, node);
  if (isCandidate && !wasCandidate) await authorizeCandidates(world, [node]);
}

/** `[what, new value]` as Python prints it. */
function shownChanges(op: Op, node: NodeObject, { from, to }: RoleChange): Json {
  const shown: Json[] = [];
  for (const name of ["master_capable", "vm_capable"] as const) {
    if (op[name] !== undefined) shown.push([name, pythonLiteral(node[name])]);
  }
  if (op.secondary_ip !== undefined) shown.push(["secondary_ip", op.secondary_ip]);
  for (const flag of ["master_candidate", "drained", "offline"] as const) {
    const value = flagsOf[to][flag];
    if (flagsOf[from][flag] !== value) shown.push([flag, pythonLiteral(value)]);
  }
  return shown;
}
