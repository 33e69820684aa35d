/** Storage units of a node, and directories for disks in files. */
import * as z from "zod";
import { AnyJson, call, Done, list, record } from "../call.js";
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
    "normal",
    "looks",
    list(list(z.union([z.string(), z.number(), z.boolean()]))),
    { ...unit, name: z.string().nullable(), fields: list(z.enum(storageUnitFields)) },
  ),
  storage_modify: call("normal", "same", Done, {
    ...unit,
    name: z.string(),
    changes: record(AnyJson),
  }),
  storage_execute: call("normal", "same", Done, {
    ...unit,
    name: z.string(),
    operation: z.literal("fix-consistency"),
  }),
  file_storage_dir_create: call("fast", "same", Done, { directory: z.string() }),
  /** Fails if it is not empty. */
  file_storage_dir_remove: call("fast", "same", Done, { directory: z.string() }),
  file_storage_dir_rename: call("fast", "same", Done, { from: z.string(), to: z.string() }),
};
