/** Commands of gnt-instance about disks. */
import { type Command, one } from "../../command.js";
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

export const diskCommands: readonly Command[] = [
  {
    name: "replace-disks",
    summary: "Replaces disks for the instance",
    usage: "[-s|-p|-a|-n NODE|-I NAME] <instance-name>",
    arguments: one("instance"),
    options: [
      { name: "auto", short: "a", type: "flag", help: "Replace faulty disks, on either node" },
      text("disks", "DISKS", "Indices of the disks: 0,2"),
      ...[iallocator, earlyReleaseOption, newSecondaryOption],
      { name: "on-primary", short: "p", type: "flag", help: "Replace disks on the primary node" },
      {
        name: "on-secondary",
        short: "s",
        type: "flag",
        help: "Replace disks on the secondary node",
      },
      ...[...submitting, dryRun, priority, ignoreIpolicy],
    ],
    examples: [
      {
        line: "gnt-instance replace-disks -n node3.example.com web1.example.com",
        does: "moves the mirrors to another node",
      },
      { line: "gnt-instance replace-disks -a web1.example.com", does: "replaces faulty disks" },
    ],
    load: async () => (await import("./replace-disks.js")).run,
  },
  {
    name: "repair",
    summary: "Recreate disks that have lost their storage on the primary node",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [earlyReleaseOption, ignoreIpolicy, ...submitting, dryRun, priority],
    examples: [
      {
        line: "gnt-instance repair web1.example.com",
        does: "leaves disks without faults unchanged",
      },
    ],
    load: async () => (await import("./repair.js")).run,
  },
  {
    name: "activate-disks",
    summary: "Activate an instance's disks",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [
      ...submitting,
      flag("ignore-size", "Ignore the recorded size of disks"),
      priority,
      flag("wait-for-sync", "Wait until the disks are in sync"),
    ],
    examples: [
      {
        line: "gnt-instance activate-disks web1.example.com",
        does: "activates the disks of a stopped instance, and prints their paths",
      },
    ],
    load: async () => (await import("./disks.js")).activate,
  },
  {
    name: "deactivate-disks",
    summary: "Deactivate an instance's disks",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [force, ...submitting, dryRun, priority],
    examples: [
      {
        line: "gnt-instance deactivate-disks web1.example.com",
        does: "the opposite of activate-disks",
      },
    ],
    load: async () => (await import("./disks.js")).deactivate,
  },
  {
    name: "recreate-disks",
    summary: "Recreate an instance's disks",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [...submitting, diskOption, placementOption, dryRun, priority, iallocator],
    examples: [
      {
        line: "gnt-instance recreate-disks --disk 0: web1.example.com",
        does: "recreates a lost disk, empty",
      },
    ],
    load: async () => (await import("./disks.js")).recreate,
  },
  {
    name: "grow-disk",
    summary: "Grow an instance's disk",
    usage: "<instance-name> <disk> <size>",
    arguments: [...one("instance"), ...one("text"), ...one("text")],
    options: [
      ...[...submitting, noWaitForSyncOption, dryRun, priority],
      flag("absolute", "The size is the new total, not the amount to add"),
      ignoreIpolicy,
    ],
    examples: [
      {
        line: "gnt-instance grow-disk web1.example.com 0 4g",
        does: "adds 4 GiB to the first disk",
      },
      {
        line: "gnt-instance grow-disk --absolute web1.example.com 0 30g",
        does: "grows the disk to 30 GiB",
      },
    ],
    load: async () => (await import("./disks.js")).grow,
  },
];
