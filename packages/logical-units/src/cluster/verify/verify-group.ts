/** OP_CLUSTER_VERIFY_GROUP: checks the nodes of a group and the instances on them. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { diskOnNode, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { DeviceAnswer, VerifyRequest } from "@ganeti-ts/node-calls";
import {
  compareNaturally,
  type GroupObject,
  type InstanceObject,
  type NodeObject,
  type NodeUuid,
  type OpcodeOf,
  type RealInstance,
} from "@ganeti-ts/protocol";
import { nodeName } from "../../instance/state.js";
import { instancesOfGroup } from "../../network/conflicts.js";
import { ask } from "../../unit/effects.js";
import { asShared, groupLock, instanceLock, nodeLock } from "../../unit/locks.js";
import { contextAt, type Unit, type UnitContext, type World } from "../../unit/unit.js";
import { Findings } from "./findings.js";
import { checkOldCopies } from "./verify-claims.js";
import { checkCommonFiles, checkMirrorVersions, checkVolumeSizes } from "./verify-common.js";
import type { GroupFacts, NodeFacts } from "./verify-facts.js";
import { checkCertificates, checkGroup, checkSshSetup } from "./verify-facts.js";
import { checkInstance, checkPolicy } from "./verify-instance.js";
import { checkNode } from "./verify-node.js";
import { verifyRequest } from "./verify-request.js";

export const verifyGroup: Unit<"OP_CLUSTER_VERIFY_GROUP"> = {
  opcode: "OP_CLUSTER_VERIFY_GROUP",
  hooks: {
    path: "cluster-verify",
    object: "CLUSTER",
    environment: (op, now) => ({
      CLUSTER_TAGS: now.cluster.tags.join(" "),
      ...Object.fromEntries(
        membersOf(now, op).map(({ name, tags }) => [`NODE_TAGS_${name}`, tags.join(" ")]),
      ),
    }),
    nodes: (op, now) => ({ before: [], after: membersOf(now, op).map(({ uuid }) => uuid) }),
  },

  locks(op, now) {
    const group = now.expectGroup(op.group_name);
    const instances = realInstances(now, group);
    const nodes = new Set([
      ...now.nodesOfGroup(group.uuid).map(({ uuid }) => uuid),
      ...instances.flatMap((one) => secondaryNodes(now, one)),
    ]);
    return asShared(
      ...instances.map(instanceLock),
      groupLock(group.uuid),
      ...Array.from(nodes, nodeLock),
    );
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const group = now.expectGroup(op.group_name);
    const findings = new Findings(world, op);
    findings.step(`* Verifying group '${group.name}'`);
    const members = [...now.nodesOfGroup(group.uuid)].sort(byName);
    if (members.length === 0) {
      findings.step("* Empty node group, skipping verification");
      return true;
    }
    const listed = instancesOfGroup(now, group).sort(byLabel);
    await world.hooks.before();
    const verifyClutter = op.verify_clutter;
    const chosen = { group, members, listed, verifyClutter };
    const facts = await gather(contextAt(world, now), findings, chosen);
    findings.step("* Verifying configuration file consistency");
    checkCertificates(findings, facts);
    if (now.cluster.modify_ssh_setup) checkSshSetup(findings, facts);
    checkCommonFiles(findings, facts);
    findings.step("* Verifying node status");
    for (const node of members) {
      if (node.offline && op.verbose) findings.step(`* Skipping offline node ${node.name}`);
      if (node.offline) continue;
      if (op.verbose) findings.step(`* Verifying node ${node.name} (${kindOf(now, node)})`);
      checkNode(findings, facts, node);
    }
    checkMirrorVersions(findings, facts);
    checkVolumeSizes(findings, facts);
    findings.step("* Verifying instance status");
    for (const instance of facts.listed) {
      if (op.verbose) findings.step(`* Verifying instance ${instanceLabel(instance)}`);
      if (instance.forthcoming) checkPolicy(findings, facts, instance);
      else checkInstance(findings, facts, instance);
    }
    checkOldCopies(findings, facts);
    checkGroup(findings, facts, { nPlusOne: !op.skip_checks.includes("nplusone_mem") });
    findings.step("* Hooks Results");
    await verifyHooks(findings, world);
    return !findings.isBad;
  },
};

const membersOf = (now: Snapshot, { group_name }: OpcodeOf<"OP_CLUSTER_VERIFY_GROUP">) =>
  now.nodesOfGroup(now.expectGroup(group_name).uuid);

/** Reports the results of the nodes' own hook scripts. */
async function verifyHooks(findings: Findings, world: World): Promise<void> {
  for (const { node, answer } of await world.hooks.results()) {
    const name = nodeName(world.config.snapshot, node);
    if (!answer.ok) {
      if (answer.offline) continue;
      const text = `Communication failure in hooks execution: ${answer.message}`;
      findings.add("ENODEHOOKS", name, text);
      continue;
    }
    for (const { script, status, output } of answer.value) {
      if (status !== "error") continue;
      findings.add("ENODEHOOKS", name, `Script ${script} failed, output:`);
      findings.step(output.replaceAll(/^/gm, "      "));
    }
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
  compareNaturally(a.name, b.name);

const byLabel = (a: InstanceObject, b: InstanceObject) =>
  compareNaturally(instanceLabel(a), instanceLabel(b));

const realInstances = (now: Snapshot, group: GroupObject): readonly RealInstance[] =>
  instancesOfGroup(now, group).flatMap((one) => (one.forthcoming ? [] : one));

function kindOf(now: Snapshot, node: NodeObject): string {
  if (node.uuid === now.cluster.master_node) return "master";
  if (node.master_candidate) return "master candidate";
  return node.drained ? "drained" : "regular";
}

/** Asks all nodes concerned at the same time, each once for each kind of question. */
async function gather(
  context: UnitContext,
  findings: Findings,
  chosen: Pick<GroupFacts, "group" | "members" | "listed"> & { readonly verifyClutter: boolean },
): Promise<GroupFacts> {
  const { now } = context;
  const { group, members, listed, verifyClutter } = chosen;
  const instances = listed.flatMap((one) => (one.forthcoming ? [] : one));
  findings.step(`* Gathering data (${members.length} nodes)`);
  const hasCopies = context.copies !== undefined;
  // Copies in transit do not count as differences; nodes that refuse them do, and are reported.
  await context.copies?.flush();
  const request = verifyRequest(now, instances, members, { hasCopies, verifyClutter });
  findings.step(`* Gathering information about nodes (${members.length} nodes)`);
  const startedMicros = context.clock.wallMicros();
  const others = new Set(instances.flatMap((one) => secondaryNodes(now, one)));
  for (const { uuid } of members) others.delete(uuid);
  const nodes = await nodeFacts(context, members, request);
  const endedMicros = context.clock.wallMicros();
  const extra =
    now.cluster.volume_group_name === undefined
      ? new Map<NodeUuid, readonly string[]>()
      : await extraVolumes(context, findings, others);
  const elsewhere = await filesElsewhere(context, findings, group, request);
  findings.step(`* Gathering disk information (${members.length} nodes)`);
  const disks = await diskStatus(context, findings, instances);
  return {
    now,
    group,
    members,
    listed,
    instances,
    nodes,
    elsewhere,
    extra,
    disks,
    startedMicros,
    endedMicros,
    request,
    hasCopies,
  };
}

/** Checksums of the master's files and of those of one node of another group, for comparison with those of the group. */
async function filesElsewhere(
  context: UnitContext,
  findings: Findings,
  group: GroupObject,
  { clusterName, hypervisorParameters, files }: VerifyRequest,
): Promise<GroupFacts["elsewhere"]> {
  const { now } = context;
  const others = Array.from(now.nodes(), (node) => node)
    .filter((node) => node.group !== group.uuid)
    .sort(byName);
  if (others.length === 0) return [];
  findings.step("* Gathering information about the master node");
  const isMaster = ({ uuid }: NodeObject) => uuid === now.cluster.master_node;
  const another = others.find((node) => node.vm_capable && !node.offline && !isMaster(node));
  const asked = [...others.filter(isMaster), ...(another ? [another] : [])];
  return Promise.all(
    asked.map(async (node) => {
      const request = { clusterName, hypervisorParameters, files };
      return { node, verified: await ask(context, node.uuid, "node_verify", request) };
    }),
  );
}

/** Answers of the members that are not offline. */
async function nodeFacts(
  world: World,
  members: readonly NodeObject[],
  request: VerifyRequest,
): Promise<Map<NodeUuid, NodeFacts>> {
  const nodes = new Map<NodeUuid, NodeFacts>();
  await Promise.all(
    members.map(async (node) => {
      if (node.offline) return;
      const verified = await ask(world, node.uuid, "node_verify", request);
      nodes.set(node.uuid, { verified });
    }),
  );
  return nodes;
}

/** Logical volumes of nodes of other groups that hold the other side of a mirror. */
async function extraVolumes(
  world: World,
  findings: Findings,
  others: ReadonlySet<NodeUuid>,
): Promise<Map<NodeUuid, readonly string[]>> {
  const extra = new Map<NodeUuid, readonly string[]>();
  if (others.size === 0) return extra;
  findings.step(`* Gathering information about extra nodes (${others.size} nodes)`);
  for (const uuid of others) {
    const answer = await ask(world, uuid, "lv_list", { volumeGroups: [] });
    if (!answer.ok) continue;
    const names = answer.value.map(({ volumeGroup, name }) => `${volumeGroup}/${name}`);
    extra.set(uuid, names);
  }
  return extra;
}

/** By instance and node, one answer for each disk. */
async function diskStatus(
  context: UnitContext,
  findings: Findings,
  instances: readonly RealInstance[],
): Promise<GroupFacts["disks"]> {
  const { now } = context;
  const wanted = new Map<NodeUuid, RealInstance[]>();
  for (const instance of instances) {
    if (instance.disks.length === 0) continue;
    for (const uuid of [instance.primary_node, ...secondaryNodes(now, instance)]) {
      wanted.set(uuid, [...(wanted.get(uuid) ?? []), instance]);
    }
  }
  const found = new Map<string, Map<NodeUuid, readonly DeviceAnswer[]>>();
  for (const [uuid, those] of wanted) {
    const lists = those.map((one) => now.disksOf(one).map((disk) => diskOnNode(now, one, disk)));
    const answer = await ask(context, uuid, "blockdev_getmirrorstatus_multi", {
      disks: lists.flat(),
    });
    const name = now.node(uuid)?.name ?? uuid;
    if (!answer.ok && !answer.offline) {
      findings.add("ENODERPC", name, `while getting disk information: ${answer.message}`);
    }
    const message = answer.ok ? "" : answer.offline ? "node offline" : answer.message;
    let at = 0;
    for (const [index, { uuid: instance }] of those.entries()) {
      const count = lists[index]?.length ?? 0;
      const own = answer.ok
        ? answer.value.slice(at, at + count)
        : Array.from({ length: count }, (): DeviceAnswer => ({ ok: false, message }));
      at += count;
      const byNode = found.get(instance) ?? new Map<NodeUuid, readonly DeviceAnswer[]>();
      byNode.set(uuid, own);
      found.set(instance, byNode);
    }
  }
  return found;
}
