/** Commands of gnt-cluster that take a cluster of Ganeti over, and give it back. */
import type { Command } from "../../command.js";
import { flag } from "../../options/kinds.js";
import { store } from "./server-store.js";

export const adoption: readonly Command[] = [
  {
    name: "adopt",
    summary: "Takes the Ganeti cluster of this master over",
    usage: "[--check] [--upgrade] [--port=PORT] [--store=postgres://…]",
    arguments: [],
    options: [
      flag("check", "Only report what stands against it, and what will differ; changes nothing"),
      flag("upgrade", "Accept a configuration of Ganeti 2.x"),
      {
        name: "port",
        type: "integer",
        placeholder: "PORT",
        help: "Port of the remote API (5080)",
      },
      store,
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
      {
        line: "gnt-cluster adopt --store=postgres://ganeti@db.example.com/ganeti",
        does: "keeps configuration and jobs in PostgreSQL, from which another candidate can take over",
      },
    ],
    load: async () => (await import("./adopt.js")).run,
  },
  {
    name: "hand-back",
    summary: "Gives an adopted cluster back to Ganeti's own daemons",
    usage: "[--drop] [--store=postgres://…]",
    arguments: [],
    options: [
      flag("drop", "Give it back without the parts that Ganeti's files cannot hold"),
      store,
    ],
    examples: [
      {
        line: "gnt-cluster hand-back",
        does: "waits for running jobs, writes Ganeti's files for the last time, and starts its daemons",
      },
    ],
    load: async () => (await import("./hand-back.js")).run,
  },
];
