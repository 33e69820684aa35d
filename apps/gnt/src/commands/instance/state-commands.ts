/** Commands of gnt-instance that start and stop instances. */

import type { Command } from "../../command.js";
import {
  backendOption,
  hypervisorOption,
  ignoreOfflineOption,
  noRememberOption,
  selectorOptions,
} from "../../options/instance.js";
import { dryRun, force, priority, shutdownTimeout, submitting } from "../../options/shared.js";
import { anyNumber } from "../counted.js";

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
      { name: "paused", type: "flag", help: "Let it wait before its first instruction" },
    ],
    examples: [
      { line: "gnt-instance startup web1.example.com", does: "starts an instance" },
      {
        line: "gnt-instance startup --primary node1.example.com",
        does: "starts what belongs on a node, after asking",
      },
    ],
    load: () => import("./startup.js"),
  },
  {
    name: "shutdown",
    aliases: ["stop"],
    summary: "Stops an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, ...selectorOptions],
      { name: "timeout", type: "integer", help: "Seconds in which it must stop by itself" },
      ...[...submission, ignoreOfflineOption, noRememberOption],
    ],
    examples: [
      { line: "gnt-instance shutdown web1.example.com", does: "stops an instance" },
      {
        line: "gnt-instance shutdown --tags --force-multiple batch",
        does: "stops all that have a tag, without asking",
      },
    ],
    load: () => import("./shutdown.js"),
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
        help: "By itself, with its disks, or by the hypervisor (hard: the default)",
      },
      {
        name: "ignore-secondaries",
        type: "flag",
        help: "Go on where its disks cannot be used on secondary nodes",
      },
      ...[...submission, shutdownTimeout],
    ],
    examples: [
      { line: "gnt-instance reboot -t full web1.example.com", does: "stops and starts it" },
    ],
    load: () => import("./reboot.js"),
  },
];
