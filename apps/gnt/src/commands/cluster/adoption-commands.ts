/** Commands of gnt-cluster that take a cluster of Ganeti over, and give it back. */
import type { Commands } from "../../command.js";
import { flag, integer } from "../../options/kinds.js";
import { store } from "./server-store.js";

export const adoption: Commands = {
  adopt: {
    summary: "Takes the Ganeti cluster of this master over",
    usage: "[--check] [--upgrade] [--port=PORT] [--store=postgres://…]",
    options: [
      flag("check", "Only report what stands against it, and what will differ; changes nothing"),
      flag("upgrade", "Accept a configuration of Ganeti 2.x"),
      integer("port", "Port of the remote API (5080)", { placeholder: "PORT" }),
      store,
    ],
    examples: {
      "gnt-cluster adopt --check":
        "asks the nodes and reads the files of Ganeti, which goes on as before",
      "gnt-cluster adopt":
        "serves the cluster in the place of Ganeti's master daemons, which must have been stopped",
      "gnt-cluster adopt --store=postgres://ganeti@db.example.com/ganeti":
        "keeps configuration and jobs in PostgreSQL, from which another candidate can take over",
    },
    load: async () => (await import("./adopt.js")).run,
  },
  "hand-back": {
    summary: "Gives an adopted cluster back to Ganeti's own daemons",
    usage: "[--drop] [--store=postgres://…]",
    options: [
      flag("drop", "Give it back without the parts that Ganeti's files cannot hold"),
      store,
    ],
    examples: {
      "gnt-cluster hand-back":
        "waits for running jobs, writes Ganeti's files for the last time, and starts its daemons",
    },
    load: async () => (await import("./hand-back.js")).run,
  },
};
