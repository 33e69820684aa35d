/** Commands of gnt-instance that move instances to other nodes. */
import { type Commands, one } from "../../command.js";
import {
  cleanupOption,
  compressOption,
  earlyReleaseOption,
  ignoreConsistencyOption,
  singleNodeOption,
  targetNodeOption,
} from "../../options/instance.js";
import { flag, text } from "../../options/kinds.js";
import {
  dryRun,
  force,
  iallocator,
  ignoreIpolicy,
  priority,
  shutdownTimeout,
  submitting,
} from "../../options/shared.js";

export const placementCommands: Commands = {
  failover: {
    summary:
      "Stops the instance, changes its primary node and (if it was originally running) starts it" +
      " on the new node (the secondary for mirrored instances or any node for shared storage).",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [
      ...[force, ignoreConsistencyOption, ...submitting, shutdownTimeout, dryRun, priority],
      ...[targetNodeOption, iallocator, ignoreIpolicy, cleanupOption],
    ],
    examples: {
      "gnt-instance failover web1.example.com": "stops it and starts it on its secondary",
    },
    load: async () => (await import("./moves.js")).failover,
  },
  migrate: {
    summary: "Migrate instance to its secondary node (only for mirrored instances)",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [
      force,
      flag("non-live", "Freeze it, transfer its memory, and resume it on the target"),
      text("migration-mode", "MODE", "Migration mode; default as in the hypervisor's parameters", {
        choices: ["live", "non-live"],
      }),
      ...[cleanupOption, dryRun, priority, targetNodeOption, iallocator],
      flag("allow-failover", "Fail over if the instance cannot be migrated"),
      ignoreIpolicy,
      flag("ignore-hvversions", "Accept another version of the hypervisor on the target"),
      flag("no-runtime-changes", "Do not shrink its memory, even if the target has too little"),
      ...submitting,
    ],
    examples: {
      "gnt-instance migrate web1.example.com": "moves it while it runs, after a confirmation",
    },
    load: async () => (await import("./moves.js")).migrate,
  },
  move: {
    summary: "Move instance to an arbitrary node (only for instances of type file and lv)",
    usage: "[-f] <instance-name>",
    arguments: one("instance"),
    options: [
      ...[force, ...submitting, singleNodeOption, compressOption, shutdownTimeout, dryRun],
      ...[priority, ignoreConsistencyOption, ignoreIpolicy],
    ],
    examples: {
      "gnt-instance move -n node3.example.com web1.example.com":
        "stops it, copies its disks, and starts it on the target",
    },
    load: async () => (await import("./moves.js")).move,
  },
  "change-group": {
    summary: "Change group of instance",
    usage: "[-I <iallocator>] [--to <group>] <instance-name>",
    arguments: one("instance"),
    options: [
      text("to", "<group>", "Target group (name or UUID); repeatable", {
        repeatable: true,
        completes: "group",
      }),
      ...[iallocator, earlyReleaseOption, priority, ...submitting],
    ],
    examples: {
      "gnt-instance change-group --to rack2 web1.example.com": "moves it to nodes of another group",
    },
    load: async () => (await import("./moves.js")).changeGroup,
  },
};
