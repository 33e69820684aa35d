/** gnt-network add. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { addOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, addOpcode(invocation.args[0] as string, invocation.options));
  return 0;
}
