/** Storage units of a node, and directories for disks in files. */
import type { Json } from "@ganeti-ts/protocol";
import type { Call, Done } from "./call.js";

export const storageUnitFields = ["name", "size", "used", "free", "allocatable"] as const;
export type StorageUnitField = (typeof storageUnitFields)[number];

interface OfStorage {
  /** `lvm-pv`, `lvm-vg`, `file`, `sharedfile` or `gluster`. */
  readonly type: string;
  /** Directories of the last three types. */
  readonly directories: readonly string[];
}

export interface StorageCalls {
  /** A row for each unit, in the order of the fields; sizes in MiB. */
  readonly storage_list: Call<
    OfStorage & { readonly name: string | null; readonly fields: readonly StorageUnitField[] },
    readonly (readonly (string | number | boolean)[])[]
  >;
  readonly storage_modify: Call<
    OfStorage & { readonly name: string; readonly changes: { readonly [field: string]: Json } },
    Done
  >;
  readonly storage_execute: Call<
    OfStorage & { readonly name: string; readonly operation: "fix-consistency" },
    Done
  >;
  readonly file_storage_dir_create: Call<{ readonly directory: string }, Done>;
  /** Fails if it is not empty. */
  readonly file_storage_dir_remove: Call<{ readonly directory: string }, Done>;
  readonly file_storage_dir_rename: Call<{ readonly from: string; readonly to: string }, Done>;
}
