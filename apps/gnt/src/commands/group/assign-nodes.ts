/** gnt-group assign-nodes. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [group_name, ...nodes] = invocation.args as [string, ...string[]];
  await runOpcode(invocation, {
    OP_ID: "OP_GROUP_ASSIGN_NODES",
    group_name,
    nodes,
    force: invocation.options.flag("force"),
  });
  return 0;
}
