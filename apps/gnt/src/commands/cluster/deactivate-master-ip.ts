/** gnt-cluster deactivate-master-ip. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

const question =
  "This will disable the master IP. All the open connections to the master IP will be closed. To reach" +
  " the master you will need to use its node IP. Continue?";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask } = invocation;
  if (!options.flag("yes") && !(await ask.confirm(question, "--yes"))) return 1;
  await runOpcode(invocation, { OP_ID: "OP_CLUSTER_DEACTIVATE_MASTER_IP" });
  return 0;
}
