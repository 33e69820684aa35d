/** gnt-node rename. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [node_name, new_name] = invocation.args as [string, string];
  await runOpcode(invocation, { OP_ID: "OP_NODE_RENAME", node_name, new_name });
  return 0;
}
