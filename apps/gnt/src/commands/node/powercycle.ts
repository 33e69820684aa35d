/** gnt-node powercycle. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const [node_name] = args as [string];
  const question = `Are you sure you want to hard powercycle node ${node_name}?`;
  const force = options.flag("force");
  if (!(options.flag("yes") || force || (await ask.confirm(question, "--yes")))) return 2;
  const result = await runOpcode(invocation, { OP_ID: "OP_NODE_POWERCYCLE", node_name, force });
  if (result) out.error(String(result));
  return 0;
}
