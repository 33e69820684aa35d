/** gnt-os: operating systems of instances. */
import { anyNumber, one, programOf } from "../command.js";
import { osParametersOption, osParametersPrivateOption } from "../options/instance.js";
import { idKeyValues, yesNo } from "../options/kinds.js";
import { dryRun, noHeaders, priority, submitting } from "../options/shared.js";

export const program = programOf("gnt-os", "OS commands", {
  list: {
    summary: "Lists all valid operating systems on the cluster",
    options: [noHeaders, priority],
    examples: { "gnt-os list": "operating systems for instances, with variants" },
    load: async () => (await import("../commands/os/list.js")).run,
  },
  diagnose: {
    summary: "Diagnose all operating systems",
    options: [priority],
    examples: { "gnt-os diagnose": "the state of each on each node; exit code 1 if one is faulty" },
    load: async () => (await import("../commands/os/diagnose.js")).run,
  },
  info: {
    aliases: ["show"],
    summary: "Show detailed information about operating systems",
    arguments: anyNumber("os"),
    options: [priority],
    examples: { "gnt-os info debian": "its variants and parameters" },
    load: async () => (await import("../commands/os/info.js")).run,
  },
  modify: {
    summary: "Modify the OS parameters",
    arguments: one("os"),
    options: [
      idKeyValues(
        "hypervisor-parameters",
        "HVPARAMS",
        "Hypervisor parameters for instances with this OS: hypervisor:option=value,…; repeatable",
        { short: "H", repeatable: true },
      ),
      ...[osParametersOption, osParametersPrivateOption, dryRun, priority],
      yesNo("hidden", "Whether it is hidden from lists"),
      yesNo("blacklisted", "Whether it is refused for new instances"),
      ...submitting,
    ],
    examples: {
      "gnt-os modify --hidden=yes debian": "hides it from gnt-os list",
      "gnt-os modify -O filesystem=ext4 debian": "sets a parameter for all its instances",
    },
    load: async () => (await import("../commands/os/modify.js")).run,
  },
});
