/** Storage units of a node, and directories for disks in files. */
import * as z from "zod";
import { AnyJson, call, Done, list, object, record } from "../call.js";
import { storageUnitFields } from "./fields.js";

const unit = {
  /** `lvm-pv`, `lvm-vg`, `file`, `sharedfile` or `gluster`. */
  type: z.string(),
  /** Directories of the last three types. */
  directories: list(z.string()),
};

export const storageCalls = {
  /** A row for each unit, in the order of the fields; sizes in MiB. */
  storage_list: call(
    ...(["normal", "looks"] as const),
    object({ ...unit, name: z.string().nullable(), fields: list(z.enum(storageUnitFields)) }),
    list(list(z.union([z.string(), z.number(), z.boolean()]))),
  ),
  storage_modify: call(
    ...(["normal", "same"] as const),
    object({ ...unit, name: z.string(), changes: record(AnyJson) }),
    Done,
  ),
  storage_execute: call(
    ...(["normal", "same"] as const),
    object({ ...unit, name: z.string(), operation: z.literal("fix-consistency") }),
    Done,
  ),
  file_storage_dir_create: call("fast", "same", object({ directory: z.string() }), Done),
  /** Fails if it is not empty. */
  file_storage_dir_remove: call("fast", "same", object({ directory: z.string() }), Done),
  file_storage_dir_rename: call(
    ...(["fast", "same"] as const),
    object({ from: z.string(), to: z.string() }),
    Done,
  ),
};
