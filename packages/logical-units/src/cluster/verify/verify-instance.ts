/** Checks of one instance against the answers of its nodes. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { nodesOfInstance, policyViolations } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally, diskCan } from "@ganeti-ts/protocol";
import { isExclusive } from "../../instance/disks/growth.js";
import { nodeName } from "../../instance/state.js";
import { volumesOf } from "../volumes.js";
import type { Findings } from "./findings.js";
import { type GroupFacts, unlessFault, verificationOf, volumesOn } from "./verify-facts.js";

/** Of a reservation, nothing but this is checked. */
export function checkPolicy(
  findings: Findings,
  { now, group }: GroupFacts,
  instance: InstanceObject,
): void {
  const violations = policyViolations(now, instance, group);
  const text = violations.join(", ");
  const label = instanceLabel(instance);
  findings.addIf(violations.length > 0, "EINSTANCEPOLICY", label, text, "WARNING");
}

export function checkInstance(findings: Findings, facts: GroupFacts, instance: RealInstance): void {
  const { now } = facts;
  const { name } = instance;
  checkPolicy(findings, facts, instance);
  for (const [node, volumes] of volumesOf(now, instance)) {
    const there = volumesOn(facts, node);
    if (there === undefined || now.node(node)?.offline) continue;
    for (const volume of volumes) {
      findings.addIf(
        !there.includes(volume),
        "EINSTANCEMISSINGDISK",
        name,
        `volume ${volume} missing on node ${nodeName(now, node)}`,
      );
    }
  }
  checkRunning(findings, facts, instance);
  checkDisks(findings, facts, instance);
  checkNodes(findings, facts, instance);
}

function checkRunning(findings: Findings, facts: GroupFacts, instance: RealInstance): void {
  const { now } = facts;
  const { name, primary_node } = instance;
  const node = nodeName(now, primary_node);
  const isOffline = now.node(primary_node)?.offline === true;
  const verified = facts.nodes.get(primary_node)?.verified;
  if (instance.admin_state === "up") {
    const runs =
      unlessFault(verificationOf(facts, primary_node)?.instances)?.includes(name) === true;
    findings.addIf(
      !runs && !isOffline,
      "EINSTANCEDOWN",
      name,
      `instance not running on its primary node ${node}`,
    );
    findings.addIf(
      isOffline,
      "EINSTANCEBADNODE",
      name,
      `instance is marked as running and lives on offline node ${node}`,
    );
  }
  findings.addIf(
    verified?.ok === false && !isOffline,
    "ENODERPC",
    node,
    `instance ${name}, connection to primary node failed`,
  );
}

function checkDisks(findings: Findings, { now, disks }: GroupFacts, instance: RealInstance): void {
  if (!instance.disks_active) return;
  for (const [uuid, answers] of disks.get(instance.uuid) ?? []) {
    const node = nodeName(now, uuid);
    for (const [index, answer] of answers.entries()) {
      if (!answer.ok) {
        if (now.node(uuid)?.offline) continue;
        findings.add(
          "EINSTANCEFAULTYDISK",
          instance.name,
          `couldn't retrieve status for disk/${index} on ${node}: ${answer.message}`,
        );
      } else if (answer.status.degraded) {
        const local = answer.status.localDisk ?? "unknown";
        findings.add(
          "EINSTANCEFAULTYDISK",
          instance.name,
          `disk/${index} on ${node} is degraded; local disk state is '${local}'`,
          local === "ok" || local === "sync" ? "WARNING" : "ERROR",
        );
      }
    }
  }
}

function checkNodes(findings: Findings, facts: GroupFacts, instance: RealInstance): void {
  const { now } = facts;
  const { name } = instance;
  const nodes = nodesOfInstance(now, instance);
  const [, ...secondaries] = nodes;
  findings.addIf(
    secondaries.length > 1,
    "EINSTANCELAYOUT",
    name,
    `instance has multiple secondary nodes: ${secondaries.join(", ")}`,
    "WARNING",
  );
  checkExclusive(findings, facts, instance, nodes);
  checkGroups(findings, facts, instance, nodes);
  const offline = secondaries.filter((uuid) => now.node(uuid)?.offline);
  for (const uuid of secondaries) {
    findings.addIf(
      facts.nodes.get(uuid)?.verified.ok === false,
      "ENODERPC",
      nodeName(now, uuid),
      `instance ${name}, connection to secondary node failed`,
    );
  }
  findings.addIf(
    offline.length > 0,
    "EINSTANCEBADNODE",
    name,
    `instance has offline secondary node(s) ${offline.map((uuid) => nodeName(now, uuid)).join(", ")}`,
  );
  for (const uuid of nodes) {
    findings.addIf(
      now.node(uuid)?.vm_capable === false,
      "EINSTANCEBADNODE",
      name,
      `instance lives on non-vm_capable node ${nodeName(now, uuid)}`,
    );
  }
}

function checkExclusive(
  findings: Findings,
  { now }: GroupFacts,
  instance: RealInstance,
  nodes: readonly NodeUuid[],
): void {
  const exclusive = nodes.filter((uuid) => isExclusive(now, uuid));
  if (exclusive.length === 0) return;
  const disks = now.disksOf(instance);
  const unsupported = disks.flatMap(({ dev_type }) =>
    diskCan(dev_type, "spindles") ? [] : [dev_type],
  );
  if (unsupported.length > 0) {
    const names = exclusive.map((uuid) => nodeName(now, uuid)).join(", ");
    findings.add(
      "EINSTANCEUNSUITABLENODE",
      instance.name,
      `instance uses disk types ${unsupported.join(", ")}, which are not supported on nodes that have exclusive storage set: ${names}`,
    );
  }
  for (const [index, { spindles }] of disks.entries()) {
    findings.addIf(
      spindles === undefined,
      "EINSTANCEMISSINGCFGPARAMETER",
      instance.name,
      `number of spindles not configured for disk ${index} while exclusive storage is enabled, try running gnt-cluster repair-disk-sizes`,
    );
  }
}

/** The nodes of a mirror must be in one group. */
function checkGroups(
  findings: Findings,
  { now }: GroupFacts,
  instance: RealInstance,
  nodes: readonly NodeUuid[],
): void {
  if (!now.disksOf(instance).some(({ dev_type }) => dev_type === "drbd")) return;
  const byGroup = new Map<string, string[]>();
  for (const uuid of nodes) {
    const node = now.node(uuid);
    const group = (node && now.group(node.group)?.name) ?? "?";
    byGroup.set(group, [...(byGroup.get(group) ?? []), nodeName(now, uuid)]);
  }
  const shown = Array.from(
    byGroup,
    ([group, names]) => `${names.sort(compareNaturally).join(", ")} (group ${group})`,
  );
  findings.addIf(
    byGroup.size > 1,
    "EINSTANCESPLITGROUPS",
    instance.name,
    `instance has primary and secondary nodes in different groups: ${shown.join(", ")}`,
    "WARNING",
  );
}
