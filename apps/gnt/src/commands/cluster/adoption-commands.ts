/** Commands of gnt-cluster that take a cluster of Ganeti over, and give it back. */
import type { Command } from "../../command.js";

export const adoption: readonly Command[] = [
  {
    name: "adopt",
    summary: "Takes the Ganeti cluster of this master over",
    usage: "[--check] [--upgrade] [--port=PORT]",
    arguments: [],
    options: [
      {
        name: "check",
        type: "flag",
        help: "Only report what stands against it, and what will differ; changes nothing",
      },
      { name: "upgrade", type: "flag", help: "Accept a configuration of Ganeti 2.x" },
      {
        name: "port",
        type: "integer",
        placeholder: "PORT",
        help: "Port of the remote API (5080)",
      },
    ],
    examples: [
      {
        line: "gnt-cluster adopt --check",
        does: "asks the nodes and reads the files of Ganeti, which goes on as before",
      },
      {
        line: "gnt-cluster adopt",
        does: "serves the cluster in the place of Ganeti's master daemons, which must have been stopped",
      },
    ],
    load: () => import("./adopt.js"),
  },
  {
    name: "hand-back",
    summary: "Gives an adopted cluster back to Ganeti's own daemons",
    usage: "[--drop]",
    arguments: [],
    options: [
      {
        name: "drop",
        type: "flag",
        help: "Give it back without the parts that Ganeti's files cannot hold",
      },
    ],
    examples: [
      {
        line: "gnt-cluster hand-back",
        does: "waits for running jobs, writes Ganeti's files for the last time, and starts its daemons",
      },
    ],
    load: () => import("./hand-back.js"),
  },
];
