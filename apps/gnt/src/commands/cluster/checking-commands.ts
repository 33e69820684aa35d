/** Commands of gnt-cluster that show or check something. */

import type { Argument, Command, Option } from "../../command.js";
import { errorCodes } from "../../options/cluster.js";
import { dryRun, nodeGroup, priority, verbose } from "../../options/shared.js";
import { anyNumber, one } from "../counted.js";

const nothing: readonly Argument[] = [];

export const checking: readonly Command[] = [
  {
    name: "verify",
    summary: "Does a check on the cluster configuration",
    usage: "",
    arguments: nothing,
    options: [
      verbose,
      { name: "debug-simulate-errors", type: "flag", help: "Say that most checks have failed" },
      { name: "error-codes", type: "flag", help: "Findings for programs: CODE:kind:name:text" },
      { name: "no-nplus1-mem", type: "flag", help: "No check of N+1 memory" },
      { name: "no-hv-param-assessment", type: "flag", help: "No assessment of parameters" },
      ...[dryRun, priority, nodeGroup],
      {
        name: "ignore-errors",
        short: "I",
        type: "text",
        repeatable: true,
        placeholder: "CODE",
        choices: errorCodes,
        help: "Such findings are only warnings",
      },
      { name: "verify-ssh-clutter", type: "flag", help: "Look for keys that should not be there" },
    ],
    examples: [
      { line: "gnt-cluster verify", does: "prints what it finds as it goes; 0: nothing is wrong" },
      { line: "gnt-cluster verify -g rack2 --error-codes", does: "one group, for programs" },
      { line: "gnt-cluster verify -I ENODEN1", does: "a lack of spare memory is no error" },
    ],
    load: () => import("./verify.js"),
  },
  {
    name: "verify-disks",
    summary: "Does a check on the cluster disk status",
    usage: "",
    arguments: nothing,
    options: [
      ...[priority, nodeGroup],
      { name: "no-strict", type: "flag", help: "Do not wait for what other jobs work on" },
    ],
    examples: [{ line: "gnt-cluster verify-disks", does: "activates disks that should be active" }],
    load: () => import("./verify-disks.js"),
  },
  {
    name: "repair-disk-sizes",
    summary: "Updates mismatches in recorded disk sizes",
    usage: "[<instance-name>...]",
    arguments: anyNumber("instance"),
    options: [dryRun, priority],
    examples: [{ line: "gnt-cluster repair-disk-sizes web1", does: "as they are on the nodes" }],
    load: () => import("./repair-disk-sizes.js"),
  },
];

const roman: Option = {
  name: "roman",
  type: "flag",
  help: "Roman numerals, for those who have waited",
};

export const looking: readonly Command[] = [
  {
    name: "info",
    aliases: ["show"],
    summary: "Show cluster configuration",
    usage: "[--roman]",
    arguments: nothing,
    options: [roman],
    examples: [
      { line: "gnt-cluster info", does: "everything that holds for the whole cluster" },
      { line: "gnt-cluster info --json | jq .beparams", does: "a part of it, for programs" },
    ],
    load: () => import("./info.js"),
  },
  {
    name: "version",
    summary: "Shows the cluster version",
    usage: "",
    arguments: nothing,
    options: [],
    examples: [{ line: "gnt-cluster version", does: "of the server, not of this program" }],
    load: () => import("./version.js"),
  },
  {
    name: "show-ispecs-cmd",
    summary: "Show the command line to re-create the cluster",
    usage: "",
    arguments: nothing,
    options: [],
    examples: [{ line: "gnt-cluster show-ispecs-cmd", does: "with its limits of instances" }],
    load: () => import("./show-ispecs-cmd.js"),
  },
  {
    name: "search-tags",
    summary: "Searches the tags on all objects on the cluster for a given pattern (regex)",
    usage: "",
    arguments: one("text"),
    options: [priority],
    examples: [{ line: "gnt-cluster search-tags '^owner:'", does: "whatever has an owner" }],
    load: () => import("./search-tags.js"),
  },
];
