/** The commands of gnt-backup. */
import { type Command, one } from "../../command.js";
import { importOptions, newInstanceOptions } from "../../options/creation.js";
import { singleNodeOption } from "../../options/instance.js";
import { flag } from "../../options/kinds.js";
import {
  dryRun,
  force,
  headers,
  output,
  priority,
  shutdownTimeout,
  submitting,
  units,
  verbose,
} from "../../options/shared.js";
import { listFieldsCommand } from "../list-fields-command.js";

export const backupCommands: readonly Command[] = [
  {
    name: "list",
    summary: "Lists instance exports available in the ganeti cluster",
    usage: "",
    arguments: [],
    options: [
      {
        name: "node",
        short: "n",
        type: "text",
        repeatable: true,
        placeholder: "<node>",
        completes: "node",
        help: "Only exports of this node; repeatable",
      },
      ...[...headers, units, output, verbose],
    ],
    examples: [{ line: "gnt-backup list -n node1.example.com", does: "the exports on a node" }],
    load: async () => (await import("./list.js")).run,
  },
  listFieldsCommand({
    kind: "export",
    things: "exports",
    usage: "[fields...]",
    example: { line: "gnt-backup list-fields", does: "fields for -o of the command list" },
  }),
  {
    name: "export",
    summary: "Exports an instance to an image",
    usage: "-n <node-name> [opts...] <instance-name>",
    arguments: one("instance"),
    options: [
      ...[force, singleNodeOption],
      {
        name: "transport-compression",
        type: "text",
        help: "Compression of the transferred data",
      },
      flag("noshutdown", "Leave it running: the exported disks are then as after a power failure"),
      shutdownTimeout,
      flag("remove-instance", "Remove the instance after its export"),
      flag(
        "ignore-remove-failures",
        "Remove it from the configuration even if its disks cannot be removed",
      ),
      ...[dryRun, priority],
      flag(
        "zero-free-space",
        "Fill free space of the disks with zeros, so that they compress well",
      ),
      {
        name: "zeroing-timeout-fixed",
        type: "integer",
        placeholder: "SECONDS",
        help: "Fixed part of the timeout for zeroing",
      },
      {
        name: "zeroing-timeout-per-mib",
        type: "number",
        placeholder: "SECONDS",
        help: "Additional timeout for zeroing per MiB",
      },
      flag("long-sleep", "Keep the instance shut down for the whole copy"),
      ...submitting,
    ],
    examples: [
      {
        line: "gnt-backup export -n node2.example.com web1.example.com",
        does: "stops the instance briefly, and copies its disks to a node",
      },
    ],
    load: async () => (await import("./changes.js")).exportInstance,
  },
  {
    name: "import",
    summary: "Imports an instance from an exported image",
    usage: "[...] -t disk-type -n node[:secondary-node] <instance-name>",
    arguments: one("instance"),
    options: [...newInstanceOptions, ...submitting, dryRun, priority, ...importOptions],
    examples: [
      {
        line: "gnt-backup import -t plain -n node1.example.com --src-node node2.example.com web1.example.com",
        does: "creates an instance from its export",
      },
    ],
    load: async () => (await import("./changes.js")).importInstance,
  },
  {
    name: "remove",
    summary: "Remove exports of named instance from the filesystem.",
    usage: "<instance-name>",
    arguments: one("export"),
    options: [dryRun, priority, ...submitting],
    examples: [
      { line: "gnt-backup remove web1.example.com", does: "removes its exports from all nodes" },
    ],
    load: async () => (await import("./changes.js")).remove,
  },
];
