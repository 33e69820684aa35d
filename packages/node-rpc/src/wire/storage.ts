/** Calls about storage units and directories for disks in files. */
import type { NodeCallArguments, StorageCalls } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { asList, type Format, plain, positional } from "./format.js";

interface Unit {
  readonly type: string;
  readonly directories: readonly string[];
}

/** Arguments of a storage type: the list of directories if the type has directories. */
const directories: Format<readonly string[]> = {
  encode: (list) => (list.length === 0 ? [] : [list]),
  decode: (json) => asList(asList(json)[0] ?? []) as string[],
};

const unit = [
  ["type", plain],
  ["directories", directories],
] as const;

export const storageWires: CallWires<keyof StorageCalls> = {
  storage_list: {
    arguments: positional<NodeCallArguments<"storage_list"> & Unit>(
      ...unit,
      ["name", plain],
      ["fields", plain],
    ),
    value: plain,
  },
  storage_modify: {
    arguments: positional<NodeCallArguments<"storage_modify"> & Unit>(
      ...unit,
      ["name", plain],
      ["changes", plain],
    ),
    value: plain,
  },
  storage_execute: {
    arguments: positional<NodeCallArguments<"storage_execute"> & Unit>(
      ...unit,
      ["name", plain],
      ["operation", plain],
    ),
    value: plain,
  },
  file_storage_dir_create: { arguments: positional(["directory", plain]), value: plain },
  file_storage_dir_remove: { arguments: positional(["directory", plain]), value: plain },
  file_storage_dir_rename: { arguments: positional(["from", plain], ["to", plain]), value: plain },
};
