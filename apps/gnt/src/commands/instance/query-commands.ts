/** Commands of gnt-instance that show data. */
import { anyNumber, type Commands, one } from "../../command.js";
import { flag } from "../../options/kinds.js";
import { filter, headers, output, priority, units, verbose, wide } from "../../options/shared.js";
import { listFieldsCommand } from "../list-fields-command.js";

const fieldsShown = "name, hypervisor, os, pnode, status, oper_ram";

export const queryCommands: Commands = {
  list: {
    summary:
      "Lists the instances and their status. The available fields can be shown using the" +
      ' "list-fields" command (see the man page for details). The default field list is (in' +
      ` order): ${fieldsShown}.`,
    usage: "[<instance-name>...]",
    arguments: anyNumber("instance"),
    options: [...headers, wide, units, output, verbose, filter],
    environment: true,
    examples: {
      "gnt-instance list": "all instances",
      "gnt-instance list -o +be/vcpus,disk.sizes 'pnode == \"node1.example.com\"'":
        "instances of a node, with two additional columns",
      "gnt-instance list '*.example.com'": "instances by a pattern of names",
    },
    load: async () => (await import("../lists.js")).instances,
  },
  "list-fields": listFieldsCommand("instance", "instances", "[fields...]", {
    "gnt-instance list-fields name status": "the meaning of two fields",
  }),
  info: {
    aliases: ["show"],
    summary: "Show information on the specified instance(s)",
    usage: "[-s] {--all | <instance-name>...}",
    arguments: anyNumber("instance"),
    options: [
      flag("static", "Show only the configuration, without asking the nodes", { short: "s" }),
      flag("all", "Show all instances, which takes long on a large cluster"),
      flag("roman", "Roman numerals"),
      priority,
    ],
    examples: { "gnt-instance info web1.example.com": "all data of an instance" },
    load: async () => (await import("./info.js")).run,
  },
  "disk-status": {
    summary: "Show the state of each disk of an instance, on each of its nodes",
    usage: "<instance-name>",
    arguments: one("instance"),
    options: [...headers, priority],
    examples: {
      "gnt-instance disk-status web1.example.com":
        "ok, degraded, faulty, missing or unknown, for each copy",
    },
    load: async () => (await import("./disk-status.js")).run,
  },
  console: {
    summary: "Opens a console on the specified instance",
    usage: "[--show-cmd] <instance-name>",
    arguments: one("instance"),
    options: [flag("show-cmd", "Print the command without running it"), priority],
    examples: {
      "gnt-instance console web1.example.com": "connects to the console",
      "gnt-instance console --show-cmd web1.example.com": "prints the command",
    },
    load: async () => (await import("./console.js")).run,
  },
};
