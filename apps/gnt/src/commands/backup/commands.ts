/** The commands of gnt-backup. */

import type { Command } from "../../command.js";
import { importOptions, newInstanceOptions } from "../../options/creation.js";
import { singleNodeOption } from "../../options/instance.js";
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
import { anyNumber, one } from "../counted.js";

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
        help: "Only of this node; repeatable",
      },
      ...[...headers, units, output, verbose],
    ],
    examples: [{ line: "gnt-backup list -n node1.example.com", does: "the exports on a node" }],
    load: () => import("./list.js"),
  },
  {
    name: "list-fields",
    summary: "Lists all available fields for exports",
    usage: "[fields...]",
    arguments: anyNumber("field"),
    options: headers,
    examples: [{ line: "gnt-backup list-fields", does: "what the columns of the list can be" }],
    load: () => import("./list-fields.js"),
  },
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
        help: "How data are compressed on their way",
      },
      {
        name: "noshutdown",
        type: "flag",
        help: "Leave it running: the disks in the export are then as after a power failure",
      },
      shutdownTimeout,
      { name: "remove-instance", type: "flag", help: "Remove it once it is exported" },
      {
        name: "ignore-remove-failures",
        type: "flag",
        help: "Forget it even if not all of it can be removed from its nodes",
      },
      ...[dryRun, priority],
      {
        name: "zero-free-space",
        type: "flag",
        help: "Write zeros where its disks are free, so that they compress well",
      },
      {
        name: "zeroing-timeout-fixed",
        type: "integer",
        placeholder: "SECONDS",
        help: "How long that may take, whatever the size",
      },
      {
        name: "zeroing-timeout-per-mib",
        type: "number",
        placeholder: "SECONDS",
        help: "How much longer it may take for each MiB",
      },
      { name: "long-sleep", type: "flag", help: "Let it be stopped while all of it is copied" },
      ...submitting,
    ],
    examples: [
      {
        line: "gnt-backup export -n node2.example.com web1.example.com",
        does: "stops the instance for a moment, and copies its disks to a node",
      },
    ],
    load: () => import("./export.js"),
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
        does: "makes an instance of its export",
      },
    ],
    load: () => import("./import.js"),
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
    load: () => import("./remove.js"),
  },
];
