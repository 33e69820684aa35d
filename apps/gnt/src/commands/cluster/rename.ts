/** gnt-cluster rename. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, args, cluster, out } = invocation;
  const [name] = args as [string];
  const { name: before } = await cluster.info();
  const question =
    `This will rename the cluster from '${before}' to '${name}'. If you are connected over the network` +
    " to the cluster name, the operation is very dangerous as the IP address will be removed from the" +
    " node and the change may not go through. Continue?";
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 1;
  const after = await runOpcode(invocation, { OP_ID: "OP_CLUSTER_RENAME", name });
  if (after) out.line(`Cluster renamed from '${before}' to '${after}'`);
  return 0;
}
