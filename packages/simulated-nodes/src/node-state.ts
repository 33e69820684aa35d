/**
 * All that a simulated node is and has, as plain JSON: it is stored as it is. Calls change it in place;
 * who stores it makes a text of it first.
 */

import type {
  ExportDescription,
  ExtStorageDefinition,
  OsDefinition,
  RuntimeState,
} from "@ganeti-ts/node-calls";

export interface HostState {
  readonly name: string;
  /** Unreachable otherwise. */
  powered: boolean;
  /** How often it was booted. */
  boots: number;
  memoryTotalMib: number;
  /** Used by the node's own system. */
  memoryNodeMib: number;
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
  /** By minor. */
  drbd: { [minor: string]: DrbdSide };
  instances: { [name: string]: InstanceState };
  migrations: { [instance: string]: MigrationState };
  operatingSystems: OsDefinition[];
  extStorage: ExtStorageDefinition[];
  bridges: string[];
  /** Addresses besides its own, for instance the master's. */
  addresses: string[];
  exports: { [name: string]: ExportState };
  /** Exports that are being made, by instance. */
  exportsUnderWay: { [instance: string]: { [file: string]: number } };
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
  /** How often it got a new key, and how many certificates it has made. */
  sshKeyCount: number;
  certificateCount: number;
  /** Digest of the certificate that it was made with, as long as it has that one. */
  certificateDigest?: string;
  /** How often its own certificate was renewed; absent: never. */
  renewals?: number;
  certificates: string[];
  /** Leases whose calls are refused. */
  fenced: string[];
  /** Divides the speed at which mirrors synchronise to it; its calls take so many times as long. */
  syncSlowness: number;
}

export interface VolumeGroupState {
  physicalVolumes: { [name: string]: PhysicalVolumeState };
  volumes: { [name: string]: VolumeState };
}

interface PhysicalVolumeState {
  sizeMib: number;
  allocatable: boolean;
  /** Gone, with what it carried. */
  missing: boolean;
}

export interface VolumeState {
  sizeMib: number;
  /** What it lies on: physical volumes, with the MiB on each. */
  pieces: { on: string; sizeMib: number }[];
  info: string;
  open: boolean;
  /** Content of the image that was copied onto it last. */
  image?: string;
}

interface FileSystemState {
  sizeMib: number;
  /** By what is no business of the cluster. */
  usedMib: number;
  directories: string[];
  /** Disks in files. */
  disks: { [path: string]: { sizeMib: number; info: string } };
}

/** One side of a mirror. Peer by UUID. */
export interface DrbdSide {
  up: boolean;
  port: number;
  peer: string;
  secret: string;
  sizeMib: number;
  primary: boolean;
  /** Wants to be connected. */
  connects: boolean;
  multimaster: boolean;
  /** Its data: as good as there is, or waiting for the peer's; or it has no storage. */
  data: "uptodate" | "inconsistent" | "none";
  /** Of the storage under it, as text: `plain xenvg/data`. */
  children: string[];
  /** Where data are inconsistent: MiB that are already as on the peer, … */
  syncedMib: number;
  /** … not counting those since then, in microseconds; null: nothing is being copied. */
  syncingSince: number | null;
  paused: boolean;
  /** In microseconds: since when it is written to without its peer; null: it is not. */
  aloneSince?: number | null;
}

export interface InstanceState {
  hypervisor: string;
  memoryMib: number;
  vcpus: number;
  state: RuntimeState;
  startedMicros: number;
  /** Number of its disks; absent: none. */
  diskCount?: number;
  /** When it stops by itself; absent: it does not. */
  stopsMicros?: number;
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
}

export interface TransferState {
  direction: "import" | "export";
  component: string;
  magic: string;
  instance: string;
  /** File under way, if the end is one. */
  file: string | null;
  sizeMib: number;
  /** Of the device that receives it. */
  roomMib: number;
  isTooSmall: boolean;
  /** As the transfer was told. */
  keyName: string | null;
  caPem: string | null;
  listenPort: number | null;
  /** Of the other end: host name and transfer, once connected. */
  peer: { host: string; transfer: string } | null;
  startedMicros: number;
  aborted: boolean;
}

/** Storage that all nodes see: shared directories, rbd, external providers. */
export interface SharedState {
  /** By `dev_type` and logical id. */
  disks: { [key: string]: { sizeMib: number; info: string } };
}
