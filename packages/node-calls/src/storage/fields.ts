/** Fields of storage units that can be queried. */
export const storageUnitFields = ["name", "size", "used", "free", "allocatable"] as const;
/** Field of a storage unit. */
export type StorageUnitField = (typeof storageUnitFields)[number];
