/** gnt-backup: exports of instances. */
import { one, programOf } from "../command.js";
import { listFieldsCommand } from "../commands/list-fields-command.js";
import { importOptions, newInstanceOptions } from "../options/creation.js";
import { singleNodeOption } from "../options/instance.js";
import { flag, integer, number, text } from "../options/kinds.js";
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
} from "../options/shared.js";

export const program = programOf("gnt-backup", "Backup commands", {
  list: {
    summary: "Lists instance exports available in the ganeti cluster",
    options: [
      text("node", "<node>", "Only exports of this node; repeatable", {
        short: "n",
        repeatable: true,
        completes: "node",
      }),
      ...[...headers, units, output, verbose],
    ],
    examples: { "gnt-backup list -n node1.example.com": "the exports on a node" },
    load: async () => (await import("../commands/lists.js")).exports,
  },
  "list-fields": listFieldsCommand("export", "exports", "[fields...]", {
    "gnt-backup list-fields": "fields for -o of the command list",
  }),
  export: {
    summary: "Exports an instance to an image",
    usage: "-n <node-name> [opts...] <instance-name>",
    arguments: one("instance"),
    options: [
      ...[force, singleNodeOption],
      text("transport-compression", "COMPRESSION", "Compression of the transferred data"),
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
      integer("zeroing-timeout-fixed", "Fixed part of the timeout for zeroing", {
        placeholder: "SECONDS",
      }),
      number("zeroing-timeout-per-mib", "SECONDS", "Additional timeout for zeroing per MiB"),
      flag("long-sleep", "Keep the instance shut down for the whole copy"),
      ...submitting,
    ],
    examples: {
      "gnt-backup export -n node2.example.com web1.example.com":
        "stops the instance briefly, and copies its disks to a node",
    },
    load: async () => (await import("../commands/backup/changes.js")).exportInstance,
  },
  import: {
    summary: "Imports an instance from an exported image",
    usage: "[...] -t disk-type -n node[:secondary-node] <instance-name>",
    arguments: one("instance"),
    options: [...newInstanceOptions, ...submitting, dryRun, priority, ...importOptions],
    examples: {
      "gnt-backup import -t plain -n node1.example.com --src-node node2.example.com web1.example.com":
        "creates an instance from its export",
    },
    load: async () => (await import("../commands/backup/changes.js")).importInstance,
  },
  remove: {
    summary: "Remove exports of named instance from the filesystem.",
    usage: "<instance-name>",
    arguments: one("export"),
    options: [dryRun, priority, ...submitting],
    examples: { "gnt-backup remove web1.example.com": "removes its exports from all nodes" },
    load: async () => (await import("../commands/backup/changes.js")).remove,
  },
});
