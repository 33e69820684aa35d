/** The commands of gnt-debug. */
import type { Command } from "../../command.js";
import { dryRun, priority, submitting } from "../../options/shared.js";

export const debugCommands: readonly Command[] = [
  {
    name: "delay",
    summary: "Executes a TestDelay OpCode",
    usage: "[<opts>...] <duration>",
    arguments: [{ kind: "text", min: 1, max: 1 }],
    options: [
      { name: "no-master", type: "flag", help: "Do not sleep in the master code" },
      {
        ...{ name: "nodes", short: "n", type: "text", repeatable: true, completes: "node" },
        ...{ placeholder: "NODE", help: "Sleep on this node; repeatable" },
      },
      {
        ...{ name: "repeat", short: "r", type: "integer", placeholder: "N" },
        help: "Sleep so many times in a row",
      },
      { name: "no-locks", short: "l", type: "flag", help: "Lock none of the nodes" },
      {
        ...{ name: "interruptible", short: "i", type: "flag" },
        help: "Listen on a socket, and end when somebody connects",
      },
      ...submitting,
      dryRun,
      priority,
    ],
    examples: [
      { line: "gnt-debug delay 5", does: "a job of five seconds" },
      {
        line: "gnt-debug delay --submit -n node2.example.com 60",
        does: "one that keeps a node busy",
      },
    ],
    load: () => import("./delay.js"),
  },
];
