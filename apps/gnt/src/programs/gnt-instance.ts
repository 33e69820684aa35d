/** gnt-instance: virtual machines. */
import { programOf } from "../command.js";
import { creationCommands } from "../commands/instance/creation-commands.js";
import { diskCommands } from "../commands/instance/disk-commands.js";
import { placementCommands } from "../commands/instance/placement-commands.js";
import { queryCommands } from "../commands/instance/query-commands.js";
import { stateCommands } from "../commands/instance/state-commands.js";
import { tagCommands } from "../commands/tags/tag-commands.js";

export const program = programOf("gnt-instance", "Instance commands", {
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
});
