/** `gnt-instance startup`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { ifSet, opcode } from "../../opcode.js";
import { backendTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { hypervisorParameters } from "./creation.js";
import { manyInstances } from "./many.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "startup", (name) => startupOpcode(name, invocation.options));

export function startupOpcode(name: string, options: OptionValues): OpcodeJson {
  const hvparams = options.keyValues("hypervisor-parameters");
  const beparams = options.keyValues("backend-parameters");
  return opcode("OP_INSTANCE_STARTUP", {
    instance_name: name,
    force: ifSet(options.flag("force")),
    ignore_offline_nodes: ifSet(options.flag("ignore-offline")),
    no_remember: ifSet(options.flag("no-remember")),
    startup_paused: ifSet(options.flag("paused")),
    hvparams: hvparams && hypervisorParameters(hvparams),
    beparams: beparams && typed(beparams, backendTypes),
  });
}
