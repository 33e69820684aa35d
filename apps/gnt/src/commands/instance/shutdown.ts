/** `gnt-instance shutdown`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { ifSet, opcode } from "../../opcode.js";
import { manyInstances } from "./many.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "shutdown", (name) => shutdownOpcode(name, invocation.options));

export const shutdownOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_SHUTDOWN", {
    instance_name: name,
    force: ifSet(options.flag("force")),
    timeout: options.integer("timeout"),
    ignore_offline_nodes: ifSet(options.flag("ignore-offline")),
    no_remember: ifSet(options.flag("no-remember")),
  });
