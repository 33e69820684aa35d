/** StorageUnits: the units of one type of storage. */

/** Sizes in whole MiB. */
export interface StorageUnit {
  readonly name: string;
  readonly size: number;
  readonly used: number;
  readonly free: number;
  /** Whether new disks may be placed there. */
  readonly allocatable: boolean;
}

export interface StorageUnits {
  /** The unit of that name; all units for null. */
  list(name: string | null): Promise<readonly StorageUnit[]>;
  /** Absent if this type of unit has no such flag. */
  setAllocatable?(name: string, isAllocatable: boolean): Promise<void>;
  /** Makes a damaged unit usable again; lost data stay lost. */
  fixConsistency?(name: string): Promise<void>;
}
