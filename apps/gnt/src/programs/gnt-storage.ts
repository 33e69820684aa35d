/** gnt-storage: providers of external storage. */
import { anyNumber, programOf } from "../command.js";
import { priority } from "../options/shared.js";

export const program = programOf("gnt-storage", "External storage commands", {
  diagnose: {
    summary: "Diagnose all ExtStorage providers",
    options: [priority],
    examples: { "gnt-storage diagnose": "the state of each provider on each node" },
    load: async () => (await import("../commands/storage/providers.js")).diagnose,
  },
  info: {
    summary: "Show info about ExtStorage providers",
    arguments: anyNumber("storage-provider"),
    options: [priority],
    examples: { "gnt-storage info": "the parameters of each provider" },
    load: async () => (await import("../commands/storage/providers.js")).info,
  },
});
