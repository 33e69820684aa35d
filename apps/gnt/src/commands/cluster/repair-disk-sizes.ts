/** gnt-cluster repair-disk-sizes: corrects recorded disk sizes; prints nothing. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, {
    OP_ID: "OP_CLUSTER_REPAIR_DISK_SIZES",
    instances: [...invocation.args],
  });
  return 0;
}
