/** gnt-instance: virtual machines. */
import type { Program } from "../command.js";
import { instanceCommands } from "../commands/instance/commands.js";
import { tagCommands } from "../commands/tags/tag-commands.js";

export const program: Program = {
  name: "gnt-instance",
  summary: "Instance commands",
  commands: [
    ...instanceCommands,
    ...tagCommands({
      program: "gnt-instance",
      thing: { kind: "instance", usage: "<instance-name>", example: "web1.example.com" },
      called: "the given instance",
    }),
  ],
};
