/** Cluster section of a message: the configuration with the present figures of nodes. */
import { filledNdparams, groupPolicy, type Snapshot } from "@ganeti-ts/config";
import type { GroupObject, InstanceUuid, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import type { ClusterEntries, GroupEntry, NodeEntry, NodeFiguresEntry } from "./entries.js";
import { type InstanceEntries, InstanceEntryCache } from "./instance-entries.js";
import type { LiveNode } from "./live-nodes.js";

/**
 * Everything is sorted by UUID, as in Ganeti. O(nodes + instances); instances unchanged since the last call
 * of `cache` cost one comparison.
 *
 * A node has figures exactly if `live` has them, so drained nodes have figures too.
 */
export function clusterEntries(
  now: Snapshot,
  live: ReadonlyMap<NodeUuid, LiveNode>,
  without?: ReadonlySet<InstanceUuid>,
  cache = new InstanceEntryCache(),
): ClusterEntries {
  const { cluster } = now;
  const instances = cache.entriesOf(now, without);
  return {
    clusterName: cluster.cluster_name,
    tags: cluster.tags,
    hypervisors: cluster.enabled_hypervisors,
    policy: cluster.ipolicy,
    groups: [...now.groups()].map((group) => [group.uuid, groupEntry(now, group)]),
    nodes: [...now.nodes()].map((node) => [
      node.name,
      nodeEntry(now, node, live.get(node.uuid), instances),
    ]),
    instances: instances.entries,
  };
}

const groupEntry = (now: Snapshot, group: GroupObject): GroupEntry => ({
  name: group.name,
  alloc_policy: group.alloc_policy,
  networks: Object.keys(group.networks),
  ipolicy: groupPolicy(now, group),
  tags: group.tags,
});

const nodeEntry = (
  now: Snapshot,
  node: NodeObject,
  live: LiveNode | undefined,
  instances: InstanceEntries,
): NodeEntry => ({
  ...(live && figures(node, live, instances)),
  tags: node.tags,
  primary_ip: node.primary_ip,
  secondary_ip: node.secondary_ip,
  offline: node.offline,
  drained: node.drained,
  master_candidate: node.master_candidate,
  group: node.group,
  master_capable: node.master_capable,
  vm_capable: node.vm_capable,
  ndparams: filledNdparams(now, node),
});

/**
 * Memory that a running instance may still grow into is not free; nor is that of an instance about to start.
 */
function figures(
  { uuid }: NodeObject,
  live: LiveNode,
  { primaryMemory }: InstanceEntries,
): NodeFiguresEntry {
  let i_pri_memory = 0;
  let i_pri_up_memory = 0;
  let free_memory = live.memoryFreeMib;
  for (const { name, memoryMib, up } of primaryMemory.get(uuid) ?? []) {
    i_pri_memory += memoryMib;
    if (!up) continue;
    i_pri_up_memory += memoryMib;
    free_memory -= Math.max(0, memoryMib - (live.runningMib.get(name) ?? 0));
  }
  return {
    total_memory: live.memoryTotalMib,
    reserved_memory: live.memoryNodeMib,
    free_memory,
    total_disk: live.diskTotalMib,
    free_disk: live.diskFreeMib,
    total_spindles: live.spindleTotal,
    free_spindles: live.spindleFree,
    total_cpus: live.cpuTotal,
    reserved_cpus: live.cpuNode,
    i_pri_memory,
    i_pri_up_memory,
  };
}
