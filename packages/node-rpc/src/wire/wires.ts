import type {
  NodeCallArguments,
  NodeCallName,
  QueueCalls,
  StorageCalls,
} from "@ganeti-ts/node-calls";
import type { CallWire, CallWires } from "./call-wire.js";
import { diskWires } from "./disks.js";
import { exportWires } from "./exports.js";
import { figureWires } from "./figures.js";
import { content, path } from "./files.js";
import { asList, type Format, listOf, noArguments, plain, positional } from "./format.js";
import { instanceWires } from "./instances.js";
import { osWires } from "./os.js";
import { setupWires } from "./setup.js";

/** Arguments of a storage type: the list of directories if the type has directories. */
const directories: Format<readonly string[]> = {
  encode: (list) => (list.length === 0 ? [] : [list]),
  decode: (json) => asList(asList(json)[0] ?? []) as string[],
};

const unit = ["type", ["directories", directories]] as const;

const storageWires: CallWires<keyof StorageCalls> = {
  storage_list: positional(...unit, "name", "fields"),
  storage_modify: positional(...unit, "name", "changes"),
  storage_execute: positional(...unit, "name", "operation"),
  file_storage_dir_create: positional("directory"),
  file_storage_dir_remove: positional("directory"),
  file_storage_dir_rename: positional("from", "to"),
};

const rename = positional<{ from: string; to: string }>(["from", path], ["to", path]);

const queueWires: CallWires<keyof QueueCalls> = {
  jobqueue_update: positional(["path", path], ["content", content]),
  jobqueue_rename: positional(["renames", listOf(rename)]),
  jobqueue_purge: noArguments,
  jobqueue_set_drain_flag: positional("drained"),
};

/** Wires of all calls of the catalog. */
const wires: CallWires<NodeCallName> = {
  ...figureWires,
  ...instanceWires,
  ...diskWires,
  ...osWires,
  ...storageWires,
  ...exportWires,
  ...setupWires,
  ...queueWires,
};

export function wireOf<Name extends NodeCallName>(name: Name): CallWire<Name> {
  const wire = wires[name] as unknown as CallWire<Name> | Format<NodeCallArguments<Name>>;
  return "encode" in wire ? { arguments: wire, value: plain } : wire;
}

export const isNodeCall = (name: string): name is NodeCallName => Object.hasOwn(wires, name);
