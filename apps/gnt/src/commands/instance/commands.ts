/** The commands of gnt-instance. */
import type { Command } from "../../command.js";
import { tagCommands } from "../tags/tag-commands.js";
import { creationCommands } from "./creation-commands.js";
import { diskCommands } from "./disk-commands.js";
import { placementCommands } from "./placement-commands.js";
import { queryCommands } from "./query-commands.js";
import { stateCommands } from "./state-commands.js";

export const instanceCommands: readonly Command[] = [
  ...creationCommands,
  ...queryCommands,
  ...stateCommands,
  ...placementCommands,
  ...diskCommands,
  ...tagCommands({
    program: "gnt-instance",
    thing: { kind: "instance", usage: "<instance-name>", example: "web1.example.com" },
    called: "the given instance",
  }),
];
