/**
 * A cluster as an input describes it, before anything is derived: what the allocator message,
 * the text format and a simulation all give, and what the placement core loads.
 *
 * Groups, nodes and instances are listed in the order of their keys (or lines) in the input;
 * their position is their index everywhere, and decides ties.
 */

/** How a node group takes part in placement; best first. */
export const allocationPolicies = ["preferred", "last_resort", "unallocable"] as const;
export type AllocationPolicy = (typeof allocationPolicies)[number];

/** Disk templates in Ganeti's own order, which is the order in which lists of them print. */
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
export type DiskTemplate = (typeof diskTemplates)[number];

/** What an instance is meant to do and does, in the words of the text format. */
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
export type InstanceStatus = (typeof instanceStatuses)[number];

/** One bound of an instance policy. Sizes in MiB; `nicCount` is carried, never checked. */
export interface InstanceSpec {
  readonly memoryMib: number;
  readonly cpuCount: number;
  readonly diskMib: number;
  readonly diskCount: number;
  readonly nicCount: number;
  readonly spindleUse: number;
}

/** What instances a group accepts. Complete: nothing is inherited from the cluster. */
export interface InstancePolicy {
  /** An instance must fit one of these; an empty list accepts every size. */
  readonly minMax: readonly { readonly min: InstanceSpec; readonly max: InstanceSpec }[];
  readonly std: InstanceSpec;
  readonly diskTemplates: readonly DiskTemplate[];
  readonly vcpuRatio: number;
  readonly spindleRatio: number;
}

export interface GroupData {
  readonly name: string;
  readonly uuid: string;
  readonly allocationPolicy: AllocationPolicy;
  /** UUIDs of the networks the group is connected to. */
  readonly networks: readonly string[];
  readonly tags: readonly string[];
  readonly policy: InstancePolicy;
}

export interface NodeData {
  readonly name: string;
  readonly groupIndex: number;
  /** Not live (offline or not vm-capable) or drained: keeps its instances, takes no new one. */
  readonly offline: boolean;
  readonly master: boolean;
  readonly memoryTotalMib: number;
  /** Used by the node's own system. */
  readonly memoryNodeMib: number;
  /** Free memory as reported. */
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
  /** Relative to a standard processor; 1 where the input does not tell. */
  readonly cpuSpeed: number;
}

export interface DiskData {
  readonly sizeMib: number;
  /** Undefined where the input has none, which matters with exclusive storage. */
  readonly spindles: number | undefined;
}

export interface InstanceData {
  readonly name: string;
  readonly memoryMib: number;
  /** What the nodes are charged; for drbd this contains the metadata. */
  readonly diskMib: number;
  readonly disks: readonly DiskData[];
  readonly vcpus: number;
  readonly spindleUse: number;
  readonly diskTemplate: DiskTemplate;
  readonly status: InstanceStatus;
  /** Whether memory is kept free for it on its secondary, and the balancer may move it. */
  readonly autoBalance: boolean;
  /** A reservation: holds its resources, does not run yet. */
  readonly forthcoming: boolean;
  readonly tags: readonly string[];
  /** One entry per NIC: the UUID of its network, or null. */
  readonly networks: readonly (string | null)[];
  /** Node indices; -1 is "none" (also for both of an instance still to be placed). */
  readonly primary: number;
  readonly secondary: number;
}

export interface ClusterData {
  readonly groups: readonly GroupData[];
  readonly nodes: readonly NodeData[];
  readonly instances: readonly InstanceData[];
  readonly tags: readonly string[];
  /** The cluster's own policy; only dumps show it. Undefined where the input has none. */
  readonly policy: InstancePolicy | undefined;
  /** First enabled hypervisor; `kvm` makes the node's own memory a static figure. */
  readonly hypervisor: string | undefined;
}

/**
 * The figures of a cluster's instances as columns, by their position: what can be counted without a
 * value made of each instance. None of them is forthcoming, all have `autoBalance`.
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
 * The columns of this cluster, where it was read with them; then its list of instances is made when
 * it is asked for. They are noted beside it, so that no changed copy of it can have them.
 */
export const instanceColumns = (cluster: ClusterData): InstanceColumns | undefined =>
  columnsByCluster.get(cluster);

export function noteInstanceColumns(cluster: ClusterData, columns: InstanceColumns): void {
  columnsByCluster.set(cluster, columns);
}
