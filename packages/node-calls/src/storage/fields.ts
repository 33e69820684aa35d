export const storageUnitFields = ["name", "size", "used", "free", "allocatable"] as const;
export type StorageUnitField = (typeof storageUnitFields)[number];
