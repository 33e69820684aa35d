/** Commands of gnt-instance about disks. */
import { type Commands, one } from "../../command.js";
import {
  diskOption,
  earlyReleaseOption,
  newSecondaryOption,
  noWaitForSyncOption,
  placementOption,
} from "../../options/instance.js";
import { flag, text } from "../../options/kinds.js";
import {
  dryRun,
  force,
  iallocator,
  ignoreIpolicy,
  priority,
  submitting,
} from "../../options/shared.js";

export const diskCommands: Commands = {
  "replace-disks": {
    summary: "Replaces disks for the instance",
    usage: "[-s|-p|-a|-n NODE|-I NAME] <instance-name>",
    arguments: one("instance"),
    options: [
      flag("auto", "Replace faulty disks, on either node", { short: "a" }),
      text("disks", "DISKS", "Indices of the disks: 0,2"),
      ...[iallocator, earlyReleaseOption, newSecondaryOption],
      flag("on-primary", "Replace disks on the primary node", { short: "p" }),
      flag("on-secondary", "Replace disks on the secondary node", { short: "s" }),
      ...[...submitting, dryRun, priority, ignoreIpolicy],
    ],
    examples: {
      "gnt-instance replace-disks -n node3.example.com web1.example.com":
        "moves the mirrors to another node",
      "gnt-instance replace-disks -a web1.example.com": "replaces faulty disks",
    },
    load: async () => (await import("./disks.js")).replace,
  },
  repair: {
    summary: "Recreate disks that have lost their storage on the primary node",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [earlyReleaseOption, ignoreIpolicy, ...submitting, dryRun, priority],
    examples: { "gnt-instance repair web1.example.com": "leaves disks without faults unchanged" },
    load: async () => (await import("./changes.js")).repair,
  },
  "activate-disks": {
    summary: "Activate an instance's disks",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [
      ...submitting,
      flag("ignore-size", "Ignore the recorded size of disks"),
      priority,
      flag("wait-for-sync", "Wait until the disks are in sync"),
    ],
    examples: {
      "gnt-instance activate-disks web1.example.com":
        "activates the disks of a stopped instance, and prints their paths",
    },
    load: async () => (await import("./disks.js")).activate,
  },
  "deactivate-disks": {
    summary: "Deactivate an instance's disks",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [force, ...submitting, dryRun, priority],
    examples: {
      "gnt-instance deactivate-disks web1.example.com": "the opposite of activate-disks",
    },
    load: async () => (await import("./disks.js")).deactivate,
  },
  "recreate-disks": {
    summary: "Recreate an instance's disks",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [...submitting, diskOption, placementOption, dryRun, priority, iallocator],
    examples: {
      "gnt-instance recreate-disks --disk 0: web1.example.com": "recreates a lost disk, empty",
    },
    load: async () => (await import("./disks.js")).recreate,
  },
  "grow-disk": {
    summary: "Grow an instance's disk",
    usage: "<instance-name> <disk> <size>",
    arguments: [...one("instance"), ...one("text"), ...one("text")],
    options: [
      ...[...submitting, noWaitForSyncOption, dryRun, priority],
      flag("absolute", "The size is the new total, not the amount to add"),
      ignoreIpolicy,
    ],
    examples: {
      "gnt-instance grow-disk web1.example.com 0 4g": "adds 4 GiB to the first disk",
      "gnt-instance grow-disk --absolute web1.example.com 0 30g": "grows the disk to 30 GiB",
    },
    load: async () => (await import("./disks.js")).grow,
  },
};
