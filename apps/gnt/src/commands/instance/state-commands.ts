/** Commands of gnt-instance that start and stop instances. */
import { anyNumber, type Commands } from "../../command.js";
import {
  backendOption,
  hypervisorOption,
  ignoreOfflineOption,
  noRememberOption,
  selectorOptions,
} from "../../options/instance.js";
import { flag, integer, text } from "../../options/kinds.js";
import { dryRun, force, priority, shutdownTimeout, submitting } from "../../options/shared.js";

const submission = [...submitting, dryRun, priority];

export const stateCommands: Commands = {
  startup: {
    aliases: ["start"],
    summary: "Starts an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, ...selectorOptions, ...submission, hypervisorOption, backendOption],
      ...[ignoreOfflineOption, noRememberOption],
      flag("paused", "Start it in the paused state"),
    ],
    examples: {
      "gnt-instance startup web1.example.com": "starts an instance",
      "gnt-instance startup --primary node1.example.com":
        "starts all instances of a node, after a confirmation",
    },
    load: async () => (await import("./states.js")).startup,
  },
  shutdown: {
    aliases: ["stop"],
    summary: "Stops an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...[force, ...selectorOptions],
      integer("timeout", "Time (s) for the instance to stop by itself", { placeholder: "TIMEOUT" }),
      ...[...submission, ignoreOfflineOption, noRememberOption],
    ],
    examples: {
      "gnt-instance shutdown web1.example.com": "stops an instance",
      "gnt-instance shutdown --tags --force-multiple batch":
        "stops all instances with a tag, without a confirmation",
    },
    load: async () => (await import("./states.js")).shutdown,
  },
  reboot: {
    summary: "Reboots an instance",
    usage: "<instance>",
    arguments: anyNumber("instance"),
    options: [
      ...selectorOptions,
      text(
        "type",
        "<REBOOT>",
        "soft (by the guest), hard (by the hypervisor, default) or full (with its disks)",
        { short: "t", choices: ["soft", "full", "hard"] },
      ),
      flag("ignore-secondaries", "Ignore errors with disks on secondary nodes"),
      ...[...submission, shutdownTimeout],
    ],
    examples: { "gnt-instance reboot -t full web1.example.com": "stops and starts it" },
    load: async () => (await import("./states.js")).reboot,
  },
};
