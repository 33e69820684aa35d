/** Consistency checks of the cluster object. */
import { diskCan, diskTemplates, type Json } from "@ganeti-ts/protocol";
import { nicparamsFault } from "../nic-rules.js";
import { policyFault } from "../policies.js";
import type { Snapshot } from "../snapshot.js";
import { beparamsFault, ndparamsFault } from "./object-faults.js";
import { highestPortFaults, portFaults } from "./uniqueness.js";

const accessModes = ["kernelspace", "userspace"];

/** Checks only free ports that `before` did not have. O(free ports). */
export function clusterFaults(now: Snapshot, before?: Snapshot): readonly string[] {
  const { cluster } = now;
  const faults: (string | undefined)[] = [
    cluster.enabled_hypervisors.length === 0
      ? "enabled hypervisors list doesn't have any entries"
      : undefined,
    cluster.enabled_disk_templates.length === 0
      ? "enabled disk templates list doesn't have any entries"
      : undefined,
  ];
  for (const hypervisor of cluster.enabled_hypervisors) {
    if (cluster.hvparams[hypervisor] === undefined) {
      faults.push(`hypervisor parameters of ${hypervisor} are missing`);
    }
  }
  const master = now.node(cluster.master_node);
  if (master === undefined)
    faults.push(`cluster has invalid primary node '${cluster.master_node}'`);
  else if (!master.master_candidate) faults.push("Master node is not a master candidate");
  const nics = nicparamsFault(cluster.nicparams.default);
  const policy = policyFault(cluster.ipolicy as unknown as Json, true);
  faults.push(
    beparamsFault("cluster", cluster.beparams.default),
    ndparamsFault("cluster", cluster.ndparams),
    nics && `cluster has invalid nicparams: ${nics}`,
    policy && `cluster has invalid instance policy: ${policy}`,
  );
  for (const template of diskTemplates.filter((one) => diskCan(one, "access"))) {
    const access = cluster.diskparams[template]?.access ?? "kernelspace";
    if (!accessModes.includes(String(access))) {
      faults.push(
        `Invalid value of '${template}:access': '${access}' (expected one of ${accessModes.join(", ")})`,
      );
    }
  }
  const known = new Set(before?.cluster.tcpudp_port_pool);
  for (const port of cluster.tcpudp_port_pool) {
    if (!known.has(port)) faults.push(...portFaults(now, port));
  }
  faults.push(...highestPortFaults(now, cluster.tcpudp_port_pool));
  return faults.filter((fault) => fault !== undefined);
}

/** O(nodes). */
export function candidateFaults(now: Snapshot): readonly string[] {
  let [able, actual] = [0, 0];
  for (const { offline, drained, master_capable, master_candidate } of now.nodes()) {
    if (!offline && !drained && master_capable) able++;
    if (master_candidate) actual++;
  }
  const target = Math.min(able, now.cluster.candidate_pool_size);
  if (actual >= target) return [];
  return [`Not enough master candidates: actual ${actual}, target ${target}`];
}
