/** gnt-instance startup, shutdown and reboot. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runMany } from "../../jobs/follow.js";
import { fromOptions, ifSet, opcode } from "../../opcode.js";
import { backendTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { confirmMany } from "../confirm-many.js";
import { hypervisorParameters } from "./creation.js";
import { selectedInstances } from "./selection.js";

export const startup = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "startup", (name) => startupOpcode(name, invocation.options));

export function startupOpcode(name: string, options: OptionValues): OpcodeJson {
  const hvparams = options.keyValues("hypervisor-parameters");
  const beparams = options.keyValues("backend-parameters");
  return opcode("OP_INSTANCE_STARTUP", {
    instance_name: name,
    ...fromOptions(options, "force", "no-remember"),
    ignore_offline_nodes: ifSet(options.flag("ignore-offline")),
    startup_paused: ifSet(options.flag("paused")),
    hvparams: hvparams && hypervisorParameters(hvparams),
    beparams: beparams && typed(beparams, backendTypes),
  });
}

export const shutdown = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "shutdown", (name) => shutdownOpcode(name, invocation.options));

export const shutdownOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_SHUTDOWN", {
    instance_name: name,
    ...fromOptions(options, "force", "timeout", "no-remember"),
    ignore_offline_nodes: ifSet(options.flag("ignore-offline")),
  });

export const reboot = (invocation: Invocation): Promise<ExitCode> =>
  manyInstances(invocation, "reboot", (name) => rebootOpcode(name, invocation.options));

export const rebootOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_REBOOT", {
    instance_name: name,
    reboot_type: options.text("type") ?? "hard",
    ...fromOptions(options, "ignore-secondaries", "shutdown-timeout"),
  });

/** `operation` as in the question: `shutdown`. */
async function manyInstances(
  invocation: Invocation,
  operation: string,
  opcodeOf: (name: string) => OpcodeJson,
): Promise<ExitCode> {
  const { names, isOne } = await selectedInstances(invocation);
  if (names.length === 0) {
    invocation.out.line("Cluster is empty, no instances to shutdown");
    return 0;
  }
  const affected = { names, what: "instances", doing: operation };
  if (!isOne && !(await confirmMany(invocation, "force-multiple", affected))) return 1;
  return runMany(
    invocation,
    names.map((name) => ({ name, opcode: opcodeOf(name) })),
    { quiet: isOne },
  );
}
