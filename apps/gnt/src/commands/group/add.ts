/** gnt-group add. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfChildren } from "../children.js";
import { addOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const opcode = addOpcode(invocation.args[0] as string, invocation.options);
  return endOfChildren(invocation, await runOpcode(invocation, opcode));
}
