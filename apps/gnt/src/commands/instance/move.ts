/** `gnt-instance move`. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { ifSet, opcode } from "../../opcode.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args } = invocation;
  const [name = ""] = args;
  const wanted = moveOpcode(name, options);
  if (!options.flag("force")) {
    const question = `Instance ${name} will be moved. This requires a shutdown of the instance. Continue?`;
    if (!(await ask.confirm(question, "--force"))) return 1;
  }
  await runOpcode(invocation, wanted);
  return 0;
}

/** @throws GanetiError without a target */
export function moveOpcode(name: string, options: OptionValues): OpcodeJson {
  const target = options.text("node");
  if (target === undefined) throw prereqError("Target node must be specified");
  return opcode("OP_INSTANCE_MOVE", {
    instance_name: name,
    target_node: target,
    compress: options.text("compress"),
    shutdown_timeout: options.integer("shutdown-timeout"),
    ignore_consistency: ifSet(options.flag("ignore-consistency")),
    ignore_ipolicy: ifSet(options.flag("ignore-ipolicy")),
  });
}
