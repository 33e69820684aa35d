/** OP_CLUSTER_VERIFY_CONFIG: checks the configuration for consistency. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { consistencyFaults, filledHvparams, type Snapshot } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import { groupLockName } from "@ganeti-ts/locking";
import type { JsonObject } from "@ganeti-ts/protocol";
import { asksForResources } from "../../instance/create/reservation.js";
import { hvparamTypes, typedParameters } from "../../instance/parameters/parameter-types.js";
import { asShared } from "../../unit/locks.js";
import type { Unit } from "../../unit/unit.js";
import { Findings } from "./findings.js";
import { checkClaims } from "./verify-claims.js";

export const verifyConfig: Unit<"OP_CLUSTER_VERIFY_CONFIG"> = {
  opcode: "OP_CLUSTER_VERIFY_CONFIG",

  locks: () =>
    asShared(
      ...(["instance", "nodegroup", "node", "node-res", "network"] as const).map(groupLockName),
    ),

  async run(op, world) {
    const now = world.config.snapshot;
    const findings = new Findings(world, op);
    findings.step("* Verifying cluster config");
    for (const fault of consistencyFaults(now)) findings.add("ECLUSTERCFG", null, fault);
    findings.step("* Verifying cluster certificate files");
    findings.step("* Verifying hypervisor parameters");
    for (const [source, hypervisor, parameters] of allHvparams(now)) {
      const fault = faultOf(now, parameters);
      findings.addIf(
        fault !== undefined,
        "ECLUSTERCFG",
        null,
        `hypervisor ${source} parameters syntax check (source ${hypervisor}): ${fault ?? "simulated"}`,
      );
    }
    findings.step("* Verifying all nodes belong to an existing group");
    checkDangling(now, findings);
    noteUnplaced(now, findings);
    await checkClaims(findings, world, now);
    return !findings.isBad;
  },
};

/** Origin, hypervisor and completed parameters of each set. */
export function* allHvparams(now: Snapshot): Iterable<readonly [string, string, JsonObject]> {
  const { cluster } = now;
  for (const name of cluster.enabled_hypervisors) {
    yield ["cluster", name, (cluster.hvparams[name] ?? {}) as JsonObject];
  }
  for (const [os, sets] of Object.entries(cluster.os_hvp)) {
    for (const [name, own] of Object.entries(sets)) {
      if (Object.keys(own).length === 0) continue;
      yield [`os ${os}`, name, { ...cluster.hvparams[name], ...own } as JsonObject];
    }
  }
  for (const instance of now.instances()) {
    if (instance.forthcoming || Object.keys(instance.hvparams).length === 0) continue;
    const filled = filledHvparams(now, instance) as JsonObject;
    yield [`instance ${instanceLabel(instance)}`, instance.hypervisor, filled];
  }
}

function faultOf(now: Snapshot, parameters: JsonObject): string | undefined {
  try {
    typedParameters(parameters, hvparamTypes(now));
    return undefined;
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
}

/** Notes reservations with sizes that no node keeps free. */
function noteUnplaced(now: Snapshot, findings: Findings): void {
  const unplaced = Array.from(now.instances()).filter(
    (instance) =>
      instance.forthcoming &&
      instance.primary_node === undefined &&
      asksForResources({ entry: instance, disks: now.disksOf(instance) }),
  );
  if (unplaced.length === 0) return;
  const names = unplaced.map(instanceLabel).join(", ");
  findings.step(
    `  - NOTICE: reservations without a node, whose resources are kept nowhere: ${names}`,
  );
}

/** Nodes and instances that no group's verification would cover. */
function checkDangling(now: Snapshot, findings: Findings): void {
  const nodes = Array.from(now.nodes()).filter(({ group }) => now.group(group) === undefined);
  const shown = nodes.map(({ uuid, name }) => {
    const { primary } = now.instancesOfNode(uuid);
    const instances = primary.map(instanceLabel);
    return `${name} (${instances.join(", ")})`;
  });
  findings.addIf(
    nodes.length > 0,
    "ECLUSTERDANGLINGNODES",
    null,
    `the following nodes (and their instances) belong to a non existing group: ${shown.join(", ")}`,
  );
  const lost = Array.from(now.instances())
    .filter(({ primary_node }) => primary_node !== undefined && !now.node(primary_node))
    .map(instanceLabel);
  findings.addIf(
    lost.length > 0,
    "ECLUSTERDANGLINGINST",
    null,
    `the following instances have a non-existing primary-node: ${lost.join(", ")}`,
  );
}
