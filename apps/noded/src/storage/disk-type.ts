/** DiskType: the operations of one type of disk on a node. */
import type { DiskOnNode, LogicalId } from "@ganeti-ts/node-calls";

/** A disk that has a device now. */
export interface Device {
  /** Null for storage that only hypervisors open (by its URI). */
  readonly path: string | null;
  readonly major: number | null;
  readonly minor: number | null;
  /** For hypervisors that open the storage themselves. */
  readonly uri: string | null;
}

/** State of a device without that of its children. */
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

export interface Growth {
  readonly amountMib: number;
  readonly dryRun: boolean;
  /** Grows the storage below the device; else the device over storage that has been grown. */
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
 * Operations on the disks of one type. They reject with `NodeFailure`. Children are handled by the callers
 * (`life-calls.ts`): they exist and have devices before `create` and `assemble` are called.
 */
export interface DiskType {
  /** Gets a device on nodes that are not the primary one, too. */
  readonly isAssembledOnSecondary: boolean;
  /** Is opened there, too. */
  readonly isOpenedOnSecondary: boolean;
  /** Names of the parameters without which a disk is neither created nor assembled. */
  readonly parameters: readonly string[];
  /** Null if there is no device; changes nothing unless the type cannot look without (rbd, gluster, ext). */
  find(disk: DiskOnNode): Promise<Device | null>;
  /** An existing disk of the same size is taken as it is. */
  create(disk: DiskOnNode, creation: Creation): Promise<void>;
  /** `children`: their devices, null for each that could not be brought up. */
  assemble(disk: DiskOnNode, children: readonly (Device | null)[]): Promise<Device>;
  /** `force` only right after the creation. */
  open(
    disk: DiskOnNode,
    how: { readonly force: boolean; readonly exclusive: boolean },
  ): Promise<void>;
  close(disk: DiskOnNode): Promise<void>;
  /** Takes the device away and keeps the data. A missing device is fine. */
  shutdown(disk: DiskOnNode): Promise<void>;
  /** Destroys the data. A missing disk is fine. */
  remove(disk: DiskOnNode): Promise<void>;
  grow(disk: DiskOnNode, growth: Growth): Promise<void>;
  rename(disk: DiskOnNode, logicalId: LogicalId): Promise<void>;
  setInfo(disk: DiskOnNode, info: string): Promise<void>;
  /** Bytes; null if it does not exist. */
  size(
    disk: DiskOnNode,
  ): Promise<{ readonly bytes: number; readonly spindles: number | null } | null>;
  status(disk: DiskOnNode, device: Device): Promise<OwnStatus>;
  /** Absent: disks of this type have no snapshots. */
  snapshot?(
    disk: DiskOnNode,
    wanted: { readonly name: string | null; readonly sizeMib: number | null },
  ): Promise<LogicalId>;
  /** Stops or resumes a synchronisation; absent: there is none. */
  pauseSync?(disk: DiskOnNode, pause: boolean): Promise<void>;
  /** Whether parts of it can be missing when it is assembled (drbd). */
  readonly toleratesMissingChildren?: boolean;
}
