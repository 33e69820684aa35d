/** Commands of gnt-cluster that show or check something. */
import { type Argument, anyNumber, type Command, one } from "../../command.js";
import { errorCodes } from "../../options/cluster.js";
import { flag } from "../../options/kinds.js";
import { dryRun, nodeGroup, priority, verbose } from "../../options/shared.js";

const nothing: readonly Argument[] = [];

export const checking: readonly Command[] = [
  {
    name: "verify",
    summary: "Does a check on the cluster configuration",
    usage: "",
    arguments: nothing,
    options: [
      verbose,
      flag("debug-simulate-errors", "Simulate failures of most checks"),
      flag("error-codes", "Machine-readable findings: CODE:kind:name:text"),
      flag("no-nplus1-mem", "Skip the check of N+1 memory"),
      flag("no-hv-param-assessment", "Skip the assessment of hypervisor parameters"),
      ...[dryRun, priority, nodeGroup],
      {
        name: "ignore-errors",
        short: "I",
        type: "text",
        repeatable: true,
        placeholder: "CODE",
        choices: errorCodes,
        help: "Report this error code as a warning only",
      },
      flag("verify-ssh-clutter", "Check for unknown SSH keys"),
    ],
    examples: [
      {
        line: "gnt-cluster verify",
        does: "prints findings as they arrive; exit code 0 without errors",
      },
      { line: "gnt-cluster verify -g rack2 --error-codes", does: "one group, machine-readable" },
      { line: "gnt-cluster verify -I ENODEN1", does: "missing spare memory as a warning" },
    ],
    load: async () => (await import("./verify.js")).run,
  },
  {
    name: "verify-disks",
    summary: "Does a check on the cluster disk status",
    usage: "",
    arguments: nothing,
    options: [
      ...[priority, nodeGroup],
      flag("no-strict", "Do not wait for the locks of other jobs"),
    ],
    examples: [{ line: "gnt-cluster verify-disks", does: "activates disks that should be active" }],
    load: async () => (await import("./verify-disks.js")).run,
  },
  {
    name: "repair-disk-sizes",
    summary: "Updates mismatches in recorded disk sizes",
    usage: "[<instance-name>...]",
    arguments: anyNumber("instance"),
    options: [dryRun, priority],
    examples: [
      { line: "gnt-cluster repair-disk-sizes web1", does: "record the sizes found on the nodes" },
    ],
    load: async () => (await import("./changes.js")).repairDiskSizes,
  },
];

const roman = flag("roman", "Roman numerals");

export const looking: readonly Command[] = [
  {
    name: "info",
    aliases: ["show"],
    summary: "Show cluster configuration",
    usage: "[--roman]",
    arguments: nothing,
    options: [roman],
    examples: [
      { line: "gnt-cluster info", does: "all cluster-wide settings" },
      { line: "gnt-cluster info --json | jq .beparams", does: "a part of them, for scripts" },
    ],
    load: async () => (await import("./info.js")).info,
  },
  {
    name: "version",
    summary: "Shows the cluster version",
    usage: "",
    arguments: nothing,
    options: [],
    examples: [
      { line: "gnt-cluster version", does: "the version of the server, not of this program" },
    ],
    load: async () => (await import("./version.js")).run,
  },
  {
    name: "show-ispecs-cmd",
    summary: "Show the command line to re-create the cluster",
    usage: "",
    arguments: nothing,
    options: [],
    examples: [
      { line: "gnt-cluster show-ispecs-cmd", does: "the command with its instance limits" },
    ],
    load: async () => (await import("./info.js")).showIspecsCommand,
  },
  {
    name: "search-tags",
    summary: "Searches the tags on all objects on the cluster for a given pattern (regex)",
    usage: "",
    arguments: one("text"),
    options: [priority],
    examples: [{ line: "gnt-cluster search-tags '^owner:'", does: "objects with an owner tag" }],
    load: async () => (await import("./search-tags.js")).run,
  },
];
