/** gnt-cluster getmaster, master-ping, activate-master-ip and deactivate-master-ip. */
import type { ExitCode } from "../../command.js";
import { failureOf } from "../../failure.js";
import type { Invocation } from "../../invocation.js";
import { runs } from "../../jobs/follow.js";

export async function getmaster({ cluster, out }: Invocation): Promise<ExitCode> {
  const { master } = await cluster.info();
  out.line(String(master));
  return 0;
}

/** Sets the exit code and prints nothing. */
export async function masterPing({ cluster }: Invocation): Promise<ExitCode> {
  try {
    await cluster.info();
    return 0;
  } catch (error) {
    if (failureOf(error) === undefined) throw error;
    return 1;
  }
}

export const activateMasterIp = runs(() => ({ OP_ID: "OP_CLUSTER_ACTIVATE_MASTER_IP" }));

const question =
  "This will disable the master IP. All the open connections to the master IP will be closed. To reach" +
  " the master you will need to use its node IP. Continue?";

export const deactivateMasterIp = runs(
  () => ({ OP_ID: "OP_CLUSTER_DEACTIVATE_MASTER_IP" }),
  async ({ options, ask }) => options.flag("yes") || ask.confirm(question, "--yes"),
);
