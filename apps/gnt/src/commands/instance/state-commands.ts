/** Commands of gnt-instance that start and stop instances. */
import { anyNumber, type Command } from "../../command.js";
import {
  backendOption,
  hypervisorOption,
  ignoreOfflineOption,
  noRememberOption,
  selectorOptions,
} from "../../options/instance.js";
import { flag } from "../../options/kinds.js";
import { dryRun, force, priority, shutdownTimeout, submitting } from "../../options/shared.js";

const submission = [...submitting, dryRun, priority];

export const stateCommands: readonly Command[] = [
  {
    name: "startup",
    aliases: ["start"],
    summary: "Starts an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, ...selectorOptions, ...submission, hypervisorOption, backendOption],
      ...[ignoreOfflineOption, noRememberOption],
      flag("paused", "Start it in the paused state"),
    ],
    examples: [
      { line: "gnt-instance startup web1.example.com", does: "starts an instance" },
      {
        line: "gnt-instance startup --primary node1.example.com",
        does: "starts all instances of a node, after a confirmation",
      },
    ],
    load: async () => (await import("./states.js")).startup,
  },
  {
    name: "shutdown",
    aliases: ["stop"],
    summary: "Stops an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, ...selectorOptions],
      { name: "timeout", type: "integer", help: "Time (s) for the instance to stop by itself" },
      ...[...submission, ignoreOfflineOption, noRememberOption],
    ],
    examples: [
      { line: "gnt-instance shutdown web1.example.com", does: "stops an instance" },
      {
        line: "gnt-instance shutdown --tags --force-multiple batch",
        does: "stops all instances with a tag, without a confirmation",
      },
    ],
    load: async () => (await import("./states.js")).shutdown,
  },
  {
    name: "reboot",
    summary: "Reboots an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...selectorOptions,
      {
        name: "type",
        short: "t",
        type: "text",
        placeholder: "<REBOOT>",
        choices: ["soft", "full", "hard"],
        help: "soft (by the guest), hard (by the hypervisor, default) or full (with its disks)",
      },
      flag("ignore-secondaries", "Ignore errors with disks on secondary nodes"),
      ...[...submission, shutdownTimeout],
    ],
    examples: [
      { line: "gnt-instance reboot -t full web1.example.com", does: "stops and starts it" },
    ],
    load: async () => (await import("./states.js")).reboot,
  },
];
