/** Entries of groups, nodes and instances in a message to an allocator; keys as on the wire. */
import type { ClusterPolicy, Ndparams } from "@ganeti-ts/protocol";

export interface GroupEntry {
  readonly name: string;
  readonly alloc_policy: "preferred" | "last_resort" | "unallocable";
  /** UUIDs. */
  readonly networks: readonly string[];
  readonly ipolicy: ClusterPolicy;
  readonly tags: readonly string[];
}

/** Sizes in MiB. */
export interface NodeFiguresEntry {
  readonly total_memory: number;
  readonly reserved_memory: number;
  readonly free_memory: number;
  readonly total_disk: number;
  readonly free_disk: number;
  readonly total_spindles: number;
  readonly free_spindles: number;
  readonly total_cpus: number;
  readonly reserved_cpus: number;
  readonly i_pri_memory: number;
  readonly i_pri_up_memory: number;
}

/** Figures are absent for nodes that are offline or not vm-capable. */
export interface NodeEntry extends Partial<NodeFiguresEntry> {
  readonly tags: readonly string[];
  readonly primary_ip: string;
  readonly secondary_ip: string;
  readonly offline: boolean;
  readonly drained: boolean;
  readonly master_candidate: boolean;
  /** UUID. */
  readonly group: string;
  readonly master_capable: boolean;
  readonly vm_capable: boolean;
  readonly ndparams: Ndparams;
}

/** A disk in an allocator message. */
export interface DiskEntry {
  readonly type: string | null;
  readonly size: number;
  readonly mode: string;
  readonly spindles: number | null;
}

/** A NIC in an allocator message. */
export interface NicEntry {
  readonly mac: string | null;
  readonly ip: string | null;
  readonly mode: string | null;
  readonly link: string | null;
  readonly bridge: string | null;
  /** UUID. */
  readonly network: string | null;
}

export interface InstanceEntry {
  readonly tags: readonly string[];
  readonly admin_state: string;
  /** The same value, under the name in the protocol's own example. */
  readonly should_run: boolean;
  readonly vcpus: number;
  readonly memory: number;
  readonly spindle_use: number;
  readonly os: string;
  /** Names: primary, then secondaries. */
  readonly nodes: readonly string[];
  readonly nics: readonly NicEntry[];
  readonly disks: readonly DiskEntry[];
  readonly disk_template: string;
  readonly disk_space_total: number;
  readonly disks_active: boolean;
  readonly hypervisor: string;
  readonly forthcoming?: true;
}

/** A cluster as in a message. Names and UUIDs in the order of the configuration. */
export interface ClusterEntries {
  readonly clusterName: string;
  readonly tags: readonly string[];
  readonly hypervisors: readonly string[];
  readonly policy: ClusterPolicy;
  readonly groups: readonly (readonly [uuid: string, entry: GroupEntry])[];
  readonly nodes: readonly (readonly [name: string, entry: NodeEntry])[];
  readonly instances: readonly (readonly [name: string, entry: InstanceEntry])[];
}
