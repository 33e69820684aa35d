/** gnt-node health: shows the data of out-of-band helpers. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { healthWords, type PowerAnswer, powerRows, printPower } from "./power-rows.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const answers = (await runOpcode(invocation, {
    OP_ID: "OP_OOB_COMMAND",
    node_names: [...args],
    command: "health",
    ...given({ timeout: options.integer("oob-timeout") }),
  })) as PowerAnswer[];
  return printPower(invocation, powerRows(answers, healthWords));
}
