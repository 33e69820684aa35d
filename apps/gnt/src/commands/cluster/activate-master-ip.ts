/** gnt-cluster activate-master-ip. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, { OP_ID: "OP_CLUSTER_ACTIVATE_MASTER_IP" });
  return 0;
}
