/** DiskType: the operations of one type of disk on a node. */
import type { DiskOnNode, LogicalId } from "@ganeti-ts/node-calls";

/** Device of an active disk. */
export interface Device {
  /** Null for storage that only hypervisors can open, by its URI. */
  readonly path: string | null;
  readonly major: number | null;
  readonly minor: number | null;
  /** Address for hypervisors that open the storage themselves. */
  readonly uri: string | null;
}

/** State of a device, not including its children. */
export interface OwnStatus {
  readonly syncPercent: number | null;
  readonly estimatedSeconds: number | null;
  readonly degraded: boolean;
  readonly localDisk: "ok" | "sync" | "unknown" | "faulty" | null;
}

export const healthy: OwnStatus = {
  syncPercent: null,
  estimatedSeconds: null,
  degraded: false,
  localDisk: "ok",
};

const nothing = async (): Promise<void> => {};

/** Defaults for most types: disks are assembled on the primary node only, and need not be opened, closed or marked. */
export const passive = {
  ...{ isAssembledOnSecondary: false, isOpenedOnSecondary: false, parameters: [] },
  ...{ open: nothing, close: nothing, shutdown: nothing, setInfo: nothing },
  status: async () => healthy,
};

export interface Growth {
  readonly amountMib: number;
  readonly dryRun: boolean;
  /** Grow the underlying storage; otherwise grow the device on storage that has been grown before. */
  readonly backingStore: boolean;
  readonly exclusiveStorage: boolean;
}

export interface Creation {
  readonly sizeMib: number;
  readonly exclusiveStorage: boolean;
  /** The devices of its children, which have been assembled and opened. */
  readonly children: readonly (Device | null)[];
}

/**
 * Operations on the disks of one type. They reject with `NodeFailure`. Callers (`life-calls.ts`) handle children, which
 * exist and have devices before `create` and `assemble` are called.
 */
export interface DiskType {
  /** The disk is assembled on secondary nodes, too. */
  readonly isAssembledOnSecondary: boolean;
  /** The disk is opened on secondary nodes, too. */
  readonly isOpenedOnSecondary: boolean;
  /** Parameters that are required to create or assemble a disk. */
  readonly parameters: readonly string[];
  /** Null if there is no device. Changes nothing, except for types that must map or mount to find a disk (rbd, gluster, ext). */
  find(disk: DiskOnNode): Promise<Device | null>;
  /** Creates the disk; an existing one of the same size is kept unchanged. */
  create(disk: DiskOnNode, creation: Creation): Promise<void>;
  /** `children`: devices of the children, null for each that could not be brought up. */
  assemble(disk: DiskOnNode, children: readonly (Device | null)[]): Promise<Device>;
  /** `force` is for a disk that was just created. */
  open(
    disk: DiskOnNode,
    how: { readonly force: boolean; readonly exclusive: boolean },
  ): Promise<void>;
  close(disk: DiskOnNode): Promise<void>;
  /** Deactivates the device and keeps the data. A missing device is not an error. */
  shutdown(disk: DiskOnNode): Promise<void>;
  /** Destroys the disk with its data. A missing disk is not an error. */
  remove(disk: DiskOnNode): Promise<void>;
  grow(disk: DiskOnNode, growth: Growth): Promise<void>;
  rename(disk: DiskOnNode, logicalId: LogicalId): Promise<void>;
  setInfo(disk: DiskOnNode, info: string): Promise<void>;
  /** Size in bytes; null if the disk does not exist. */
  size(
    disk: DiskOnNode,
  ): Promise<{ readonly bytes: number; readonly spindles: number | null } | null>;
  status(disk: DiskOnNode, device: Device): Promise<OwnStatus>;
  /** Absent if disks of this type have no snapshots. */
  snapshot?(
    disk: DiskOnNode,
    wanted: { readonly name: string | null; readonly sizeMib: number | null },
  ): Promise<LogicalId>;
  /** Pauses or resumes synchronisation; absent if disks of this type do not synchronise. */
  pauseSync?(disk: DiskOnNode, pause: boolean): Promise<void>;
  /** Whether a disk can be assembled although children are missing (drbd). */
  readonly toleratesMissingChildren?: boolean;
}
