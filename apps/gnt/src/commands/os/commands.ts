/** The commands of gnt-os. */

import { anyNumber, type Command, one } from "../../command.js";
import { osParametersOption, osParametersPrivateOption } from "../../options/instance.js";
import { dryRun, noHeaders, priority, submitting } from "../../options/shared.js";

export const osCommands: readonly Command[] = [
  {
    name: "list",
    summary: "Lists all valid operating systems on the cluster",
    usage: "",
    arguments: [],
    options: [noHeaders, priority],
    examples: [{ line: "gnt-os list", does: "operating systems for instances, with variants" }],
    load: async () => (await import("./list.js")).run,
  },
  {
    name: "diagnose",
    summary: "Diagnose all operating systems",
    usage: "",
    arguments: [],
    options: [priority],
    examples: [
      {
        line: "gnt-os diagnose",
        does: "the state of each on each node; exit code 1 if one is faulty",
      },
    ],
    load: async () => (await import("./diagnose.js")).run,
  },
  {
    name: "info",
    aliases: ["show"],
    summary: "Show detailed information about operating systems",
    usage: "",
    arguments: anyNumber("os"),
    options: [priority],
    examples: [{ line: "gnt-os info debian", does: "its variants and parameters" }],
    load: async () => (await import("./info.js")).run,
  },
  {
    name: "modify",
    summary: "Modify the OS parameters",
    usage: "",
    arguments: one("os"),
    options: [
      {
        name: "hypervisor-parameters",
        short: "H",
        type: "id-key-values",
        repeatable: true,
        placeholder: "HVPARAMS",
        help: "Hypervisor parameters for instances with this OS: hypervisor:option=value,…; repeatable",
      },
      ...[osParametersOption, osParametersPrivateOption, dryRun, priority],
      { name: "hidden", type: "yes-no", help: "Whether it is hidden from lists" },
      { name: "blacklisted", type: "yes-no", help: "Whether it is refused for new instances" },
      ...submitting,
    ],
    examples: [
      { line: "gnt-os modify --hidden=yes debian", does: "hides it from gnt-os list" },
      {
        line: "gnt-os modify -O filesystem=ext4 debian",
        does: "sets a parameter for all its instances",
      },
    ],
    load: async () => (await import("./modify.js")).run,
  },
];
