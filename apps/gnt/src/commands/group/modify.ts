/** gnt-group modify. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { printModified } from "../modified.js";
import { modifyOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [group] = invocation.args as [string];
  const result = await runOpcode(invocation, modifyOpcode(group, invocation.options));
  printModified(invocation.out, `node group ${group}`, result);
  return 0;
}
