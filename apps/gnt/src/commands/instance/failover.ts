/** `gnt-instance failover`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";
import { ensureExists } from "./selection.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args } = invocation;
  const [name = ""] = args;
  const wanted = failoverOpcode(name, options);
  if (!options.flag("force")) {
    await ensureExists(invocation, name);
    const question =
      `Failover will happen to image ${name}.` +
      " This requires a shutdown of the instance. Continue?";
    if (!(await ask.confirm(question, "--force"))) return 1;
    const offline =
      `To failover instance ${name}, the source node must be marked offline first.` +
      " Is this already the case?";
    if (options.flag("ignore-consistency") && !(await ask.confirm(offline, "--force"))) return 1;
  }
  await runOpcode(invocation, wanted);
  return 0;
}

/** @throws GanetiError if both options give a target */
export function failoverOpcode(name: string, options: OptionValues): OpcodeJson {
  return opcode("OP_INSTANCE_FAILOVER", {
    instance_name: name,
    ignore_consistency: ifSet(options.flag("ignore-consistency")),
    shutdown_timeout: options.integer("shutdown-timeout"),
    ...targetOf(options),
    ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
    cleanup: ifSet(options.flag("cleanup")),
  });
}

/** @throws GanetiError if both options give a target */
export function targetOf(options: OptionValues): {
  iallocator: string | undefined;
  target_node: string | undefined;
} {
  const [iallocator, target_node] = [options.text("iallocator"), options.text("target-node")];
  if (iallocator !== undefined && target_node !== undefined) {
    throw prereqError("Specify either an iallocator (-I), or a target node (-n) but not both");
  }
  return { iallocator, target_node };
}
