/** The commands of gnt-storage. */

import { anyNumber, type Command } from "../../command.js";
import { priority } from "../../options/shared.js";

export const storageCommands: readonly Command[] = [
  {
    name: "diagnose",
    summary: "Diagnose all ExtStorage providers",
    usage: "",
    arguments: [],
    options: [priority],
    examples: [{ line: "gnt-storage diagnose", does: "the state of each provider on each node" }],
    load: async () => (await import("./diagnose.js")).run,
  },
  {
    name: "info",
    summary: "Show info about ExtStorage providers",
    usage: "",
    arguments: anyNumber("storage-provider"),
    options: [priority],
    examples: [{ line: "gnt-storage info", does: "the parameters of each provider" }],
    load: async () => (await import("./info.js")).run,
  },
];
