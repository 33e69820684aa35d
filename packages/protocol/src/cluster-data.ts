/**
 * Cluster data as described by an input, before anything is derived from it: the common result of reading an
 * allocator message, the text format or a simulation, and the input of the placement core.
 *
 * Groups, nodes and instances are in the order of their keys (or lines) in the input; their position is their
 * index everywhere, and decides ties.
 */

/** Allocation policies of node groups, best first. */
export const allocationPolicies = ["preferred", "last_resort", "unallocable"] as const;
/** Willingness of a group to take new instances: one of `allocationPolicies`. */
export type AllocationPolicy = (typeof allocationPolicies)[number];

/** Disk templates in Ganeti's order, in which lists of them are printed. */
export const diskTemplates = [
  "diskless",
  "file",
  "sharedfile",
  "plain",
  "blockdev",
  "drbd",
  "rbd",
  "ext",
  "gluster",
] as const;
/** Storage of an instance's disks: one of `diskTemplates`. */
export type DiskTemplate = (typeof diskTemplates)[number];

/** Administrative and running state of an instance, in the words of the text format. */
export const instanceStatuses = [
  "ADMIN_down",
  "ADMIN_offline",
  "ERROR_down",
  "ERROR_up",
  "ERROR_nodedown",
  "ERROR_nodeoffline",
  "running",
  "USER_down",
  "ERROR_wrongnode",
] as const;
/** State of an instance in Ganeti's words: one of `instanceStatuses`. */
export type InstanceStatus = (typeof instanceStatuses)[number];

/** One bound of an instance policy. Sizes in MiB; `nicCount` is kept but never checked. */
export interface InstanceSpec {
  readonly memoryMib: number;
  readonly cpuCount: number;
  readonly diskMib: number;
  readonly diskCount: number;
  readonly nicCount: number;
  readonly spindleUse: number;
}

/** Limits of a group for its instances. Complete: nothing is inherited from the cluster. */
export interface InstancePolicy {
  /** An instance must fit one of these; an empty list accepts every size. */
  readonly minMax: readonly { readonly min: InstanceSpec; readonly max: InstanceSpec }[];
  readonly std: InstanceSpec;
  readonly diskTemplates: readonly DiskTemplate[];
  readonly vcpuRatio: number;
  readonly spindleRatio: number;
}

/** A node group with its policy and networks. */
export interface GroupData {
  readonly name: string;
  readonly uuid: string;
  readonly allocationPolicy: AllocationPolicy;
  /** UUIDs of the networks the group is connected to. */
  readonly networks: readonly string[];
  readonly tags: readonly string[];
  readonly policy: InstancePolicy;
}

/** A node with its capacities and what is free of them. */
export interface NodeData {
  readonly name: string;
  readonly groupIndex: number;
  /** Not live (offline or not vm-capable) or drained: the node keeps its instances, and takes no new ones. */
  readonly offline: boolean;
  readonly master: boolean;
  readonly memoryTotalMib: number;
  /** Used by the node's own system. */
  readonly memoryNodeMib: number;
  /** Reported free memory. */
  readonly memoryFreeMib: number;
  readonly diskTotalMib: number;
  readonly diskFreeMib: number;
  readonly cpuTotal: number;
  /** Used by the node's own system. */
  readonly cpuNode: number;
  readonly spindleTotal: number;
  readonly spindleFree: number;
  readonly exclusiveStorage: boolean;
  readonly tags: readonly string[];
  /** Relative to a standard processor; 1 if the input has no value. */
  readonly cpuSpeed: number;
}

/** Size and spindles of one disk. */
export interface DiskData {
  readonly sizeMib: number;
  /** Undefined if the input has no value, which matters with exclusive storage. */
  readonly spindles: number | undefined;
}

/** An instance with what it needs, its state and its nodes. */
export interface InstanceData {
  readonly name: string;
  readonly memoryMib: number;
  /** Disk charged to the nodes; for drbd this includes the metadata. */
  readonly diskMib: number;
  readonly disks: readonly DiskData[];
  readonly vcpus: number;
  readonly spindleUse: number;
  readonly diskTemplate: DiskTemplate;
  readonly status: InstanceStatus;
  /** Whether its secondary reserves memory for it, and the balancer may move it. */
  readonly autoBalance: boolean;
  /** A reservation: it holds its resources, but does not run yet. */
  readonly forthcoming: boolean;
  readonly tags: readonly string[];
  /** One entry per NIC: the UUID of its network, or null. */
  readonly networks: readonly (string | null)[];
  /** Node indices; -1 is "none" (both of them for an instance still to be placed). */
  readonly primary: number;
  readonly secondary: number;
}

/** A cluster as placement reads it, whatever format it came from. Nodes and groups are referred to by index. */
export interface ClusterData {
  readonly groups: readonly GroupData[];
  readonly nodes: readonly NodeData[];
  readonly instances: readonly InstanceData[];
  readonly tags: readonly string[];
  /** The cluster's own policy, used only in dumps. Undefined if the input has none. */
  readonly policy: InstancePolicy | undefined;
  /** First enabled hypervisor; with `kvm` the memory of the node's own system is a static figure. */
  readonly hypervisor: string | undefined;
}

/**
 * Figures of a cluster's instances as columns, by their position, so that they can be counted without an
 * object for each instance. None of them is forthcoming, all have `autoBalance`.
 */
export interface InstanceColumns {
  readonly memoryMib: Int32Array;
  readonly diskMib: Int32Array;
  readonly vcpus: Int32Array;
  readonly spindleUse: Int32Array;
  /** Positions in `diskTemplates`. */
  readonly diskTemplate: Int32Array;
  /** Positions in `instanceStatuses`. */
  readonly status: Int32Array;
  readonly primary: Int32Array;
  /** -1 for none. */
  readonly secondary: Int32Array;
}

const columnsByCluster = new WeakMap<ClusterData, InstanceColumns>();

/**
 * The columns of this cluster, if it was read with them; its list of instances is then created on first
 * access. They are stored in a WeakMap, so that modified copies of the cluster do not have them.
 */
export const instanceColumns = (cluster: ClusterData): InstanceColumns | undefined =>
  columnsByCluster.get(cluster);

export function noteInstanceColumns(cluster: ClusterData, columns: InstanceColumns): void {
  columnsByCluster.set(cluster, columns);
}
