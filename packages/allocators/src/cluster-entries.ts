/** Cluster section of a message: the configuration with the present figures of nodes. */
import { filledNdparams, groupPolicy, type Snapshot } from "@ganeti-ts/config";
import type { GroupObject, InstanceUuid, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import type { ClusterEntries, GroupEntry, NodeEntry, NodeFiguresEntry } from "./entries.js";
import { type PlacedEntry, type PrimaryMemory, placedEntries } from "./instance-entries.js";
import type { LiveNode } from "./live-nodes.js";

/**
 * Everything is sorted by UUID, as in Ganeti. O(nodes + instances).
 *
 * A node has figures exactly if `live` has them, so drained nodes have figures too.
 */
export function clusterEntries(
  now: Snapshot,
  live: ReadonlyMap<NodeUuid, LiveNode>,
): ClusterEntries {
  const placed = placedEntries(now);
  const memories = memoriesByNode(placed);
  return {
    ...commonEntries(now),
    groups: [...now.groups()].map((group) => [group.uuid, groupEntry(now, group)]),
    nodes: [...now.nodes()].map((node) => [
      node.name,
      nodeEntry(now, node, live.get(node.uuid), memories.get(node.uuid)?.values()),
    ]),
    instances: placed.map(({ named }) => named),
  };
}

/** Keys of the cluster itself, such as its name and tags. */
export const commonEntries = ({ cluster }: Snapshot) => ({
  clusterName: cluster.cluster_name,
  tags: cluster.tags,
  hypervisors: cluster.enabled_hypervisors,
  policy: cluster.ipolicy,
});

/** Memory of the primary instances of each node. */
export type MemoriesByNode = Map<NodeUuid, Map<InstanceUuid, PrimaryMemory>>;

export function memoriesByNode(placed: readonly PlacedEntry[]): MemoriesByNode {
  const memories: MemoriesByNode = new Map();
  for (const { uuid, primary, memory } of placed) {
    const there = memories.get(primary);
    if (there === undefined) memories.set(primary, new Map([[uuid, memory]]));
    else there.set(uuid, memory);
  }
  return memories;
}

export const groupEntry = (now: Snapshot, group: GroupObject): GroupEntry => ({
  name: group.name,
  alloc_policy: group.alloc_policy,
  networks: Object.keys(group.networks),
  ipolicy: groupPolicy(now, group),
  tags: group.tags,
});

/** @param primaries memory of the instances whose primary the node is */
export const nodeEntry = (
  now: Snapshot,
  node: NodeObject,
  live: LiveNode | undefined,
  primaries: Iterable<PrimaryMemory> | undefined,
): NodeEntry => ({
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
  ...(live && figures(live, primaries)),
});

/**
 * Free memory excludes the memory that running instances may still grow into, and that of instances about to start.
 */
function figures(live: LiveNode, primaries: Iterable<PrimaryMemory> = []): NodeFiguresEntry {
  let i_pri_memory = 0;
  let i_pri_up_memory = 0;
  let free_memory = live.memoryFreeMib;
  for (const { name, memoryMib, up } of primaries) {
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
