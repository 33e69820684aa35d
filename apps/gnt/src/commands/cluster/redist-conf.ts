/** gnt-cluster redist-conf. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, cluster } = invocation;
  const opcode = { OP_ID: "OP_CLUSTER_REDIST_CONF" };
  if (!(options.flag("yes-do-it") && (await cluster.isDrained()))) {
    await runOpcode(invocation, opcode);
    return 0;
  }
  // The server takes nothing while it is drained: it is not, for as long as one submission takes.
  await cluster.setDrained(false);
  try {
    await runOpcode(invocation, opcode);
  } finally {
    await cluster.setDrained(true);
  }
  return 0;
}
