/**
 * State of a simulated node as plain JSON. Calls change it in place, its large maps by functions that note what has
 * changed, so that a save need not look for it; stores serialise it first.
 */

import type {
  DiskOnNode,
  ExportDescription,
  ExtStorageDefinition,
  OsDefinition,
  RuntimeState,
} from "@ganeti-ts/node-calls";
import type { Entries } from "./entries.js";

/** Everything that a simulated machine has and runs. */
export interface HostState {
  readonly name: string;
  /** A node without power is unreachable. */
  powered: boolean;
  /** Number of boots. */
  boots: number;
  memoryTotalMib: number;
  /** Used by the node's own system. */
  memoryNodeMib: number;
  /**
   * Used by neither the node's own system nor an instance, so that free memory is what another machine reported;
   * negative where instances use less than they are given. Absent: 0.
   */
  memoryOtherMib?: number;
  /** Share of their memory that instances have touched; the rest counts as free. Absent: 1. */
  touchedShare?: number;
  cpuTotal: number;
  cpuNode: number;
  cpuNodes: number;
  cpuSockets: number;
  volumeGroups: { [name: string]: VolumeGroupState };
  fileSystem: FileSystemState;
  /** Existing devices that disks can adopt; MiB by path. */
  devices: { [path: string]: number };
  drbdHelper: string;
  drbdVersion: string;
  /** By minor; changed by `setEntry` and `changeMirror` alone. */
  drbd: Entries<DrbdSide>;
  /** Changed by `setEntry` alone. */
  instances: Entries<InstanceState>;
  migrations: { [instance: string]: MigrationState };
  operatingSystems: OsDefinition[];
  extStorage: ExtStorageDefinition[];
  bridges: string[];
  /** Addresses in addition to its own, for instance the master's. */
  addresses: string[];
  exports: { [name: string]: ExportState };
  /** Unfinished exports, by instance. */
  exportsUnderWay: { [instance: string]: { [file: string]: number } };
  /** Contents of their files, as of an export. */
  imagesUnderWay?: { [instance: string]: Images };
  transfers: { [name: string]: TransferState };
  transferCount: number;
  /** Contents by path. */
  files: { [path: string]: string };
  hosts: { [name: string]: string };
  stoppedDaemons: string[];
  /** Output of commands that may be run, by name. */
  commands: { [name: string]: string };
  /** Seconds since the epoch. */
  watcherPause: number | null;
  sshKeys: string[];
  /** Numbers of ssh keys and of certificates made so far. */
  sshKeyCount: number;
  certificateCount: number;
  /** Digest of the certificate that it was made with, as long as it has that one. */
  certificateDigest?: string;
  /** Number of renewals of its own certificate; absent: none. */
  renewals?: number;
  certificates: string[];
  /** Leases whose calls are refused. */
  fenced: string[];
  /** Factor by which its calls, and mirrors that synchronise to it, are slowed down. */
  syncSlowness: number;
}

/** A volume group of a simulated node. */
export interface VolumeGroupState {
  physicalVolumes: { [name: string]: PhysicalVolumeState };
  /** Changed by `setVolume` alone. */
  volumes: Entries<VolumeState>;
}

interface PhysicalVolumeState {
  sizeMib: number;
  /** MiB used by volumes that are not listed; negative where volumes use less than their size. Absent: 0. */
  otherMib?: number;
  allocatable: boolean;
  /** The volume has failed, and its contents are unavailable. */
  missing: boolean;
}

export interface VolumeState {
  readonly sizeMib: number;
  /** Location: physical volumes, with the MiB on each. */
  readonly pieces: readonly { readonly on: string; readonly sizeMib: number }[];
  readonly info: string;
  readonly open: boolean;
  /** Set by an administrator (`lvchange -pr`); absent: no. */
  readonly readOnly?: boolean;
  /** Its content, if it was written as a whole: an image, or the system of an instance. */
  readonly image?: string | undefined;
}

interface FileSystemState {
  sizeMib: number;
  /** MiB used by files that do not belong to the cluster. */
  usedMib: number;
  directories: string[];
  /** Disks in files. */
  disks: { [path: string]: StoredDisk };
}

/** A disk in a file, or one that all nodes share. */
export interface StoredDisk {
  sizeMib: number;
  info: string;
  /** Its content, as that of a volume. */
  image?: string | undefined;
}

/** One side of a mirror, changed by `changeMirror` alone. The peer is given by UUID. */
export interface DrbdSide {
  readonly up: boolean;
  readonly port: number;
  readonly peer: string;
  readonly secret: string;
  readonly sizeMib: number;
  readonly primary: boolean;
  /** Whether it tries to connect. */
  readonly connects: boolean;
  readonly multimaster: boolean;
  /** State of its data: good, waiting for the peer's, or without storage. */
  readonly data: "uptodate" | "inconsistent" | "none";
  /** Storage under the mirror, as text: `plain xenvg/data`. */
  readonly children: readonly string[];
  /** For inconsistent data: MiB already synchronised with the peer, … */
  readonly syncedMib: number;
  /** … without those copied since this time, in microseconds; null if no copying is running. */
  readonly syncingSince: number | null;
  readonly paused: boolean;
  /** Time (µs) since which it is written without its peer; null otherwise. */
  readonly aloneSince?: number | null;
}

export interface InstanceState {
  readonly hypervisor: string;
  readonly memoryMib: number;
  readonly vcpus: number;
  readonly state: RuntimeState;
  readonly startedMicros: number;
  /** Devices of its disks, as `deviceOn` names them; absent: none. */
  readonly devices?: readonly string[];
  /** Time at which it stops by itself, if it does. */
  readonly stopsMicros?: number;
}

interface MigrationState {
  target: string;
  startedMicros: number;
  memoryMib: number;
}

interface ExportState {
  description: ExportDescription;
  /** MiB. */
  files: { [file: string]: number };
  /** Contents of the files, if they were written as a whole; absent: none. */
  images?: Images | undefined;
}

/** By file. */
interface Images {
  [file: string]: string | undefined;
}

export interface TransferState {
  direction: "import" | "export";
  component: string;
  magic: string;
  instance: string;
  /** File under way, if the end is one. */
  file: string | null;
  sizeMib: number;
  /** Size of the receiving device. */
  roomMib: number;
  isTooSmall: boolean;
  /** Key and certificate as given to the transfer. */
  keyName: string | null;
  caPem: string | null;
  listenPort: number | null;
  /** Content that is sent. */
  image?: string | undefined;
  /** Disk at this end, if it is one. */
  disk?: DiskOnNode;
  /** Whether the receiving end has been written; absent: no. */
  isWritten?: boolean;
  /** The other end, once connected: host name and transfer. */
  peer: { host: string; transfer: string } | null;
  startedMicros: number;
  aborted: boolean;
  /** Reason why the two ends did not connect; absent if they did, or if no end has tried. */
  refusal?: string;
}

/** Storage shared by all nodes: shared directories, rbd, external providers. */
export interface SharedState {
  /** By `dev_type` and logical id. */
  disks: { [key: string]: StoredDisk };
  /** Contents of existing devices that disks adopt, by path; absent: none. */
  devices?: { [path: string]: string | undefined };
}
