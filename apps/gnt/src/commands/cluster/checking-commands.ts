/** Commands of gnt-cluster that show or check something. */
import { anyNumber, type Commands, one } from "../../command.js";
import { errorCodes } from "../../options/cluster.js";
import { flag, text } from "../../options/kinds.js";
import { dryRun, nodeGroup, priority, verbose } from "../../options/shared.js";

export const checking: Commands = {
  verify: {
    summary: "Does a check on the cluster configuration",
    options: [
      verbose,
      flag("debug-simulate-errors", "Simulate failures of most checks"),
      flag("error-codes", "Machine-readable findings: CODE:kind:name:text"),
      flag("no-nplus1-mem", "Skip the check of N+1 memory"),
      flag("no-hv-param-assessment", "Skip the assessment of hypervisor parameters"),
      ...[dryRun, priority, nodeGroup],
      text("ignore-errors", "CODE", "Report this error code as a warning only", {
        short: "I",
        repeatable: true,
        choices: errorCodes,
      }),
      flag("verify-ssh-clutter", "Check for unknown SSH keys"),
    ],
    examples: {
      "gnt-cluster verify": "prints findings as they arrive; exit code 0 without errors",
      "gnt-cluster verify -g rack2 --error-codes": "one group, machine-readable",
      "gnt-cluster verify -I ENODEN1": "missing spare memory as a warning",
    },
    load: async () => (await import("./verify.js")).run,
  },
  "verify-disks": {
    summary: "Does a check on the cluster disk status",
    options: [
      ...[priority, nodeGroup],
      flag("no-strict", "Do not wait for the locks of other jobs"),
    ],
    examples: { "gnt-cluster verify-disks": "activates disks that should be active" },
    load: async () => (await import("./verify-disks.js")).run,
  },
  "repair-disk-sizes": {
    summary: "Updates mismatches in recorded disk sizes",
    usage: "[<instance-name>...]",
    arguments: anyNumber("instance"),
    options: [dryRun, priority],
    examples: { "gnt-cluster repair-disk-sizes web1": "record the sizes found on the nodes" },
    load: async () => (await import("./changes.js")).repairDiskSizes,
  },
};

const roman = flag("roman", "Roman numerals");

export const looking: Commands = {
  info: {
    aliases: ["show"],
    summary: "Show cluster configuration",
    usage: "[--roman]",
    options: [roman],
    examples: {
      "gnt-cluster info": "all cluster-wide settings",
      "gnt-cluster info --json | jq .beparams": "a part of them, for scripts",
    },
    load: async () => (await import("./info.js")).info,
  },
  version: {
    summary: "Shows the cluster version",
    examples: { "gnt-cluster version": "the version of the server, not of this program" },
    load: async () => (await import("./version.js")).run,
  },
  "show-ispecs-cmd": {
    summary: "Show the command line to re-create the cluster",
    examples: { "gnt-cluster show-ispecs-cmd": "the command with its instance limits" },
    load: async () => (await import("./info.js")).showIspecsCommand,
  },
  "search-tags": {
    summary: "Searches the tags on all objects on the cluster for a given pattern (regex)",
    arguments: one("text"),
    options: [priority],
    examples: { "gnt-cluster search-tags '^owner:'": "objects with an owner tag" },
    load: async () => (await import("./search-tags.js")).run,
  },
};
