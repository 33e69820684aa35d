/** Calls about storage units and directories for disks in files. */
import type { StorageCalls } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { asList, type Format, positional } from "./format.js";

/** Arguments of a storage type: the list of directories if the type has directories. */
const directories: Format<readonly string[]> = {
  encode: (list) => (list.length === 0 ? [] : [list]),
  decode: (json) => asList(asList(json)[0] ?? []) as string[],
};

const unit = ["type", ["directories", directories]] as const;

export const storageWires: CallWires<keyof StorageCalls> = {
  storage_list: positional(...unit, "name", "fields"),
  storage_modify: positional(...unit, "name", "changes"),
  storage_execute: positional(...unit, "name", "operation"),
  file_storage_dir_create: positional("directory"),
  file_storage_dir_remove: positional("directory"),
  file_storage_dir_rename: positional("from", "to"),
};
