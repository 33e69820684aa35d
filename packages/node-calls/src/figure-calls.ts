/** Looking at a node: what it has, what is free, what is in order. */
import type { Json } from "@ganeti-ts/protocol";
import type { Call, Nothing } from "./call.js";
import type { HypervisorOnNode } from "./objects.js";

/** Storage whose space is asked for: `lvm-vg` and a volume group, `file` and a directory, … */
export interface StorageKey {
  readonly type: string;
  readonly key: string;
  /** Of volume groups: only what is empty is free, and physical volumes are counted. Default false. */
  readonly exclusive?: boolean;
}

export interface StorageSpace {
  readonly type: string;
  readonly name: string;
  /** MiB; for `lvm-pv` physical volumes, 0 unless they are exclusive. Null where the node cannot tell, for instance without that group. */
  readonly size: number | null;
  readonly free: number | null;
}

/** Memory in MiB; the node's own system counts as `memoryNodeMib` and `cpuNode`. */
export interface HypervisorFigures {
  readonly memoryTotalMib: number;
  readonly memoryFreeMib: number;
  readonly memoryNodeMib: number;
  readonly cpuTotal: number;
  readonly cpuNode: number;
  /** NUMA nodes. */
  readonly cpuNodes: number;
  readonly cpuSockets: number;
}

export interface NodeInformation {
  /** Another one after every boot. */
  readonly bootId: string;
  /** In the order in which they were asked for. */
  readonly storage: readonly StorageSpace[];
  readonly hypervisors: readonly HypervisorFigures[];
}

export interface LogicalVolume {
  readonly name: string;
  readonly volumeGroup: string;
  readonly sizeMib: number;
  /** Nothing is missing of it. */
  readonly active: boolean;
  /** Some process has it open. */
  readonly open: boolean;
}

/** A logical volume and one of the physical ones that carry it. */
export interface NodeVolume {
  readonly name: string;
  readonly volumeGroup: string;
  readonly sizeMib: number;
  /** `/dev/sda3`. */
  readonly physicalVolume: string;
}

/** What is to be looked at, and with what; absent: not looked at. */
export interface VerifyRequest {
  readonly clusterName: string;
  readonly hypervisors?: readonly HypervisorOnNode[];
  /** Parameters to validate, each with the name of what they belong to. */
  readonly hvparams?: readonly {
    readonly owner: string;
    readonly hypervisor: string;
    readonly hvparams: { readonly [name: string]: Json };
  }[];
  /** Paths whose checksums are wanted. */
  readonly files?: readonly string[];
  /** Nodes to reach: UUID, name, primary and secondary address. */
  readonly peers?: readonly {
    readonly uuid: string;
    readonly name: string;
    readonly primaryIp: string;
    readonly secondaryIp: string;
  }[];
  readonly master?: { readonly name: string; readonly ip: string };
  /** Volume group to list volumes of. */
  readonly volumeGroup?: string;
  readonly drbdHelper?: string;
  readonly bridges?: readonly string[];
  readonly userScripts?: readonly string[];
  /** Directories for disks in files, by template. */
  readonly fileStorageDirs?: { readonly [template: string]: string };
  /** The node of that name says which folders are let for disks that must not be. */
  readonly acceptedPathsOf?: string;
  readonly exclusiveStorage?: boolean;
  readonly oobPrograms?: readonly string[];
  readonly osList?: boolean;
}

/** Parts that were not asked for are absent. */
export interface Verification {
  readonly protocol: number;
  readonly release: string;
  /** Microseconds since the epoch, by the node's clock. */
  readonly wallMicros: number;
  /** A fault by hypervisor; null: none. */
  readonly hypervisors?: { readonly [name: string]: string | null };
  readonly hvparams?: readonly {
    readonly owner: string;
    readonly hypervisor: string;
    readonly fault: string;
  }[];
  /** Checksums; of a missing file there is none. */
  readonly files?: { readonly [path: string]: string };
  /** Nodes by name that could not be reached, and why: by ssh, then by their addresses. */
  readonly unreachedBySsh?: { readonly [name: string]: string };
  readonly unreachedByTcp?: { readonly [name: string]: string };
  readonly masterReached?: boolean;
  readonly instances?: readonly string[];
  readonly figures?: readonly HypervisorFigures[];
  /** MiB by volume group. */
  readonly volumeGroups?: { readonly [name: string]: number };
  readonly logicalVolumes?: readonly LogicalVolume[];
  readonly physicalVolumes?: readonly {
    readonly name: string;
    readonly volumeGroup: string;
    readonly sizeMib: number;
    /** Names of volumes that share it with another one, where storage is exclusive. */
    readonly sharedBy: readonly string[];
  }[];
  readonly drbdMinors?: readonly number[];
  /** `8.4.11`. */
  readonly drbdVersion?: string;
  readonly drbdHelper?: { readonly ok: boolean; readonly text: string };
  readonly missingBridges?: readonly string[];
  readonly missingUserScripts?: readonly string[];
  /** Faults of directories, by template. */
  readonly fileStorageFaults?: { readonly [template: string]: string };
  readonly forbiddenStoragePaths?: readonly string[];
  readonly oobFaults?: readonly string[];
}

export interface FigureCalls {
  readonly version: Call<Nothing, { readonly protocol: number; readonly release: string }>;
  readonly node_info: Call<
    { readonly storage: readonly StorageKey[]; readonly hypervisors: readonly HypervisorOnNode[] },
    NodeInformation
  >;
  readonly node_verify: Call<VerifyRequest, Verification>;
  readonly node_volumes: Call<Nothing, readonly NodeVolume[]>;
  /** Of the groups named; of all, if none is. */
  readonly lv_list: Call<{ readonly volumeGroups: readonly string[] }, readonly LogicalVolume[]>;
  /** Sizes in MiB. */
  readonly vg_list: Call<Nothing, { readonly [name: string]: number }>;
  /** Sizes in MiB of the device files that exist. */
  readonly bdev_sizes: Call<
    { readonly paths: readonly string[] },
    { readonly [path: string]: number }
  >;
  /** Fails, naming them, if some do not exist: `Missing bridges br1, br2`. */
  readonly bridges_exist: Call<{ readonly bridges: readonly string[] }, null>;
  readonly drbd_helper: Call<Nothing, string>;
  readonly node_has_ip_address: Call<{ readonly address: string }, boolean>;
  readonly get_file_info: Call<
    { readonly path: string },
    { readonly exists: boolean; readonly sizeBytes: number }
  >;
}
