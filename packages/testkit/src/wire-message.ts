/** An allocator message as Ganeti writes it; `decodeMessage` of its JSON gives the message back. */
import type {
  AllocatorMessage,
  AllocatorRequest,
  ClusterData,
  GroupData,
  InstanceData,
  InstancePolicy,
  InstanceSpec,
  NodeData,
  Wanted,
} from "@ganeti-ts/protocol";

type Json = Record<string, unknown>;

export function wireMessage({ cluster, request }: AllocatorMessage): Json {
  const { groups, nodes, instances, tags, hypervisor } = cluster;
  const [group] = groups;
  return {
    version: 2,
    cluster_name: "cluster.example.com",
    cluster_tags: tags,
    enabled_hypervisors: hypervisor === undefined ? [] : [hypervisor],
    ipolicy: group === undefined ? {} : wirePolicy(group.policy),
    nodegroups: Object.fromEntries(groups.map((one) => [one.uuid, wireGroup(one)])),
    nodes: Object.fromEntries(nodes.map((one) => [one.name, wireNode(one, groups)])),
    instances: Object.fromEntries(instances.map((one) => [one.name, wireInstance(one, nodes)])),
    request: wireRequest(request, cluster),
  };
}

const wireGroup = ({ name, allocationPolicy, networks, policy, tags }: GroupData): Json => ({
  name,
  alloc_policy: allocationPolicy,
  networks,
  ipolicy: wirePolicy(policy),
  tags,
});

const wirePolicy = (policy: InstancePolicy): Json => ({
  minmax: policy.minMax.map(({ min, max }) => ({ min: wireSpec(min), max: wireSpec(max) })),
  std: wireSpec(policy.std),
  "disk-templates": policy.diskTemplates,
  "vcpu-ratio": policy.vcpuRatio,
  "spindle-ratio": policy.spindleRatio,
});

const wireSpec = (spec: InstanceSpec): Json => ({
  "memory-size": spec.memoryMib,
  "cpu-count": spec.cpuCount,
  "disk-size": spec.diskMib,
  "disk-count": spec.diskCount,
  "nic-count": spec.nicCount,
  "spindle-use": spec.spindleUse,
});

/** An offline node with memory is drained; one with nothing at all is dead. */
function wireNode(node: NodeData, groups: readonly GroupData[]): Json {
  const dead = node.offline && node.memoryTotalMib === 0 && node.diskTotalMib === 0;
  const { exclusiveStorage, spindleTotal } = node;
  const common = {
    tags: node.tags,
    offline: dead,
    drained: node.offline && !dead,
    vm_capable: true,
    group: groups[node.groupIndex]?.uuid,
    ndparams: {
      exclusive_storage: exclusiveStorage,
      spindle_count: exclusiveStorage ? 1 : spindleTotal,
    },
  };
  if (dead) return common;
  return {
    ...common,
    total_memory: node.memoryTotalMib,
    reserved_memory: node.memoryNodeMib,
    free_memory: node.memoryFreeMib,
    total_disk: node.diskTotalMib,
    free_disk: node.diskFreeMib,
    total_spindles: exclusiveStorage ? spindleTotal : 0,
    free_spindles: node.spindleFree,
    total_cpus: node.cpuTotal,
    reserved_cpus: node.cpuNode,
  };
}

const adminStates: Readonly<Record<string, string>> = {
  running: "up",
  ADMIN_down: "down",
  ADMIN_offline: "offline",
};

const wireInstance = (instance: InstanceData, nodes: readonly NodeData[]): Json => ({
  ...wireDescription(instance),
  nodes: [instance.primary, instance.secondary]
    .filter((node) => node >= 0)
    .map((node) => nodes[node]?.name),
});

const wireDescription = (instance: InstanceData): Json => ({
  memory: instance.memoryMib,
  vcpus: instance.vcpus,
  spindle_use: instance.spindleUse,
  disk_template: instance.diskTemplate,
  disk_space_total: instance.diskMib,
  disks: instance.disks.map(({ sizeMib, spindles }) => ({ size: sizeMib, spindles })),
  nics: instance.networks.map((network) => ({ mac: null, ip: null, network })),
  tags: instance.tags,
  admin_state: adminStates[instance.status],
  forthcoming: instance.forthcoming,
});

function wireRequest(request: AllocatorRequest, { nodes, instances, groups }: ClusterData): Json {
  const { type } = request;
  const nameOf = (index: number) => instances[index]?.name;
  switch (request.type) {
    case "allocate":
      return {
        type,
        ...wireWanted(request),
        group_name: request.groupName,
        "restrict-to-nodes": request.restrictToNodes,
      };
    case "multi-allocate":
      return { type, instances: request.wanted.map(wireWanted), group_name: request.groupName };
    case "capacity":
      return {
        type,
        ...wireWanted(request),
        group_name: request.groupName,
        "restrict-to-nodes": request.restrictToNodes,
        max_count: request.countMax,
      };
    case "allocate-secondary":
      return { type, name: nameOf(request.instanceIndex) };
    case "relocate":
      return {
        type,
        name: nameOf(request.instanceIndex),
        required_nodes: request.requiredNodes,
        relocate_from: request.relocateFrom.map((node) => nodes[node]?.name),
      };
    case "node-evacuate":
      return { type, instances: request.instanceIndices.map(nameOf), evac_mode: request.mode };
    case "change-group":
      return {
        type,
        instances: request.instanceIndices.map(nameOf),
        target_groups: request.targetGroups.map((group) => groups[group]?.uuid),
      };
    case "balance":
      return {
        type,
        max_moves: request.movesMax,
        group_name: request.groupName,
        evac_mode: request.evacuationMode,
        disk_moves: request.diskMoves,
        instance_moves: request.instanceMoves,
        restricted_migration: request.restrictedMigration,
        ignore_soft_errors: request.ignoreSoftErrors,
        min_gain: request.minGain,
        min_gain_limit: request.minGainLimit,
        min_score: request.minScore,
        select_instances: request.selectedIndices.map(nameOf),
        exclude_instances: request.excludedIndices.map(nameOf),
      };
  }
}

const wireWanted = ({ instance, requiredNodes }: Wanted): Json => ({
  name: instance.name,
  required_nodes: requiredNodes,
  ...wireDescription(instance),
});
