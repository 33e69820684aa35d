/** StorageUnits: the units of one type of storage. */

/** Sizes in whole MiB. */
export interface StorageUnit {
  readonly name: string;
  readonly size: number;
  readonly used: number;
  readonly free: number;
  /** Whether new disks may be put there. */
  readonly allocatable: boolean;
}

export interface StorageUnits {
  /** The unit of that name, or all. */
  list(name: string | null): Promise<readonly StorageUnit[]>;
  /** Absent: it cannot be changed. */
  setAllocatable?(name: string, isAllocatable: boolean): Promise<void>;
  /** Makes a damaged unit usable again, without what is lost. */
  fixConsistency?(name: string): Promise<void>;
}
