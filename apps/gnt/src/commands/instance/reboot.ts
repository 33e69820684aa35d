/** `gnt-instance reboot`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { ifSet, opcode } from "../../opcode.js";
import { manyInstances } from "./many.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "reboot", (name) => rebootOpcode(name, invocation.options));

export const rebootOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_REBOOT", {
    instance_name: name,
    reboot_type: options.text("type") ?? "hard",
    ignore_secondaries: ifSet(options.flag("ignore-secondaries")),
    shutdown_timeout: options.integer("shutdown-timeout"),
  });
