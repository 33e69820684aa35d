/** gnt-node remove. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, {
    OP_ID: "OP_NODE_REMOVE",
    node_name: invocation.args[0] as string,
  });
  return 0;
}
