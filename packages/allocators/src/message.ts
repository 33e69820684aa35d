/**
 * Message for the placement core: equal to the result of `decodeMessage` on its text, without creating the
 * text. A test compares the two.
 */
import { balanceRequestOf } from "@ganeti-ts/htools";
import type {
  AllocatorMessage,
  AllocatorRequest,
  ClusterData,
  DiskTemplate,
  GroupData,
  InstanceData,
  InstanceSpec,
  InstanceStatus,
  NodeData,
  PolicySpec,
  Wanted,
} from "@ganeti-ts/protocol";
import type { ClusterEntries, GroupEntry, InstanceEntry, NodeEntry } from "./entries.js";
import type { RequestEntry, WantedEntry } from "./requests.js";

/** O(nodes + instances). */
export function allocatorMessage(entries: ClusterEntries, request: RequestEntry): AllocatorMessage {
  const { groups, nodes, instances } = entries;
  const [instanceIndex, nodeIndex, groupIndex] = [instances, nodes, groups].map(indexOf);
  const positions: Positions = {
    ofInstance: (name) => instanceIndex?.get(name),
    ofNode: (name) => nodeIndex?.get(name),
    ofGroup: (uuid) => groupIndex?.get(uuid),
  };
  return { cluster: clusterData(entries), request: requestData(request, positions) };
}

/** The cluster alone, equal in every message. */
export function clusterData(entries: ClusterEntries): ClusterData {
  const { groups, nodes, instances, tags, hypervisors } = entries;
  const groupIndex = indexOf(groups);
  const nodeIndex = indexOf(nodes);
  return {
    groups: groups.map(([uuid, entry]) => groupData(uuid, entry)),
    nodes: nodes.map(([name, entry]) => nodeData(name, entry, groupIndex.get(entry.group) ?? -1)),
    instances: instances.map(([name, entry]) => placedInstance(name, entry, nodeIndex)),
    tags,
    policy: undefined,
    hypervisor: hypervisors[0],
  };
}

type Named = readonly (readonly [name: string, entry: unknown])[];

/** Positions of objects by name. */
export const indexOf = (entries: Named): ReadonlyMap<string, number> =>
  new Map(entries.map(([name], index) => [name, index]));

export const groupData = (uuid: string, entry: GroupEntry): GroupData => ({
  name: entry.name,
  uuid,
  allocationPolicy: entry.alloc_policy,
  networks: entry.networks,
  tags: entry.tags,
  policy: {
    minMax: entry.ipolicy.minmax.map(({ min, max }) => ({ min: spec(min), max: spec(max) })),
    std: spec(entry.ipolicy.std),
    diskTemplates: entry.ipolicy["disk-templates"] as readonly DiskTemplate[],
    vcpuRatio: entry.ipolicy["vcpu-ratio"],
    spindleRatio: entry.ipolicy["spindle-ratio"],
  },
});

const spec = (bound: PolicySpec): InstanceSpec => ({
  memoryMib: bound["memory-size"],
  cpuCount: bound["cpu-count"],
  diskMib: bound["disk-size"],
  diskCount: bound["disk-count"],
  nicCount: bound["nic-count"],
  spindleUse: bound["spindle-use"],
});

export function nodeData(name: string, entry: NodeEntry, groupIndex: number): NodeData {
  const { exclusive_storage, spindle_count } = entry.ndparams;
  const live = entry.vm_capable && !entry.offline;
  return {
    name,
    groupIndex,
    offline: !live || entry.drained,
    master: false,
    spindleTotal: exclusive_storage ? (entry.total_spindles ?? 0) : spindle_count,
    spindleFree: entry.free_spindles ?? 0,
    memoryTotalMib: entry.total_memory ?? 0,
    memoryNodeMib: entry.reserved_memory ?? 0,
    memoryFreeMib: entry.free_memory ?? 0,
    diskTotalMib: entry.total_disk ?? 0,
    diskFreeMib: entry.free_disk ?? 0,
    cpuTotal: entry.total_cpus ?? 0,
    cpuNode: entry.reserved_cpus ?? 0,
    exclusiveStorage: exclusive_storage,
    tags: entry.tags,
    cpuSpeed: 1,
  };
}

/** @param nodeIndex positions of nodes by name */
export function placedInstance(
  name: string,
  entry: InstanceEntry,
  nodeIndex: ReadonlyMap<string, number>,
): InstanceData {
  const primary = nodeIndex.get(entry.nodes[0] ?? "") ?? -1;
  const secondary = entry.nodes[1] === undefined ? -1 : (nodeIndex.get(entry.nodes[1]) ?? -1);
  return { ...instanceData(name, entry), primary, secondary };
}

function instanceData(name: string, entry: InstanceEntry | WantedEntry): InstanceData {
  return {
    name,
    memoryMib: entry.memory,
    diskMib: entry.disk_space_total,
    disks: entry.disks.map(({ size, spindles }) => ({
      sizeMib: size,
      spindles: spindles ?? undefined,
    })),
    vcpus: entry.vcpus,
    spindleUse: entry.spindle_use,
    diskTemplate: entry.disk_template as DiskTemplate,
    status: "admin_state" in entry ? (statuses[entry.admin_state] ?? "running") : "running",
    autoBalance: true,
    forthcoming: "forthcoming" in entry && entry.forthcoming === true,
    tags: entry.tags,
    networks: entry.nics.map(({ network }) => network),
    primary: -1,
    secondary: -1,
  };
}

const statuses: Readonly<Record<string, InstanceStatus>> = {
  down: "ADMIN_down",
  offline: "ADMIN_offline",
};

/** Positions of the objects that a request names: instances and nodes by name, groups by UUID. */
export interface Positions {
  ofInstance(name: string): number | undefined;
  ofNode(name: string): number | undefined;
  ofGroup(uuid: string): number | undefined;
}

/** Converts a request. Its names are complete and exist, because the caller takes them from the configuration. */
export function requestData(request: RequestEntry, positions: Positions): AllocatorRequest {
  switch (request.type) {
    case "allocate":
      return {
        type: "allocate",
        ...wanted(request),
        groupName: request.group_name ?? undefined,
        restrictToNodes: request["restrict-to-nodes"],
      };
    case "capacity":
      return {
        type: "capacity",
        ...wanted(request),
        groupName: request.group_name ?? undefined,
        restrictToNodes: request["restrict-to-nodes"],
        countMax: request.max_count ?? -1,
      };
    case "multi-allocate":
      return {
        type: "multi-allocate",
        wanted: request.instances.map(wanted),
        groupName: request.group_name,
      };
    case "allocate-secondary":
      return {
        type: "allocate-secondary",
        instanceIndex: positions.ofInstance(request.name) ?? -1,
      };
    case "relocate":
      return {
        type: "relocate",
        instanceIndex: positions.ofInstance(request.name) ?? -1,
        requiredNodes: request.required_nodes,
        relocateFrom: request.relocate_from.flatMap((name) => positions.ofNode(name) ?? []),
      };
    case "node-evacuate":
      return {
        type: "node-evacuate",
        instanceIndices: request.instances.flatMap((name) => positions.ofInstance(name) ?? []),
        mode: request.evac_mode,
      };
    case "change-group":
      return {
        type: "change-group",
        instanceIndices: request.instances.flatMap((name) => positions.ofInstance(name) ?? []),
        targetGroups: request.target_groups.flatMap((uuid) => positions.ofGroup(uuid) ?? []),
      };
    case "balance":
      return balanceRequestOf({
        groupName: request.group_name ?? undefined,
        movesMax: request.max_moves,
      });
  }
}

const wanted = (entry: WantedEntry): Wanted => ({
  instance: instanceData(entry.name, entry),
  requiredNodes: entry.required_nodes,
});
