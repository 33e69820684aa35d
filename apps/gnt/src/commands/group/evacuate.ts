/** gnt-group evacuate. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { endOfEvacuation } from "../children.js";
import { evacuateOpcode } from "./opcodes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const opcode = evacuateOpcode(invocation.args[0] as string, invocation.options);
  const result = await runOpcode(invocation, opcode);
  return endOfEvacuation(invocation, result, {
    done: "All instances evacuated successfully.",
    failed: (count) => `There were ${count} errors during the evacuation.`,
  });
}
