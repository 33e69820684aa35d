/** gnt-network modify; it does not print the changes. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { modifyOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, modifyOpcode(invocation.args[0] as string, invocation.options));
  return 0;
}
