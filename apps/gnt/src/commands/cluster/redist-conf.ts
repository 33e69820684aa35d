/** gnt-cluster redist-conf; with --yes-do-it also while the queue is drained. */
import type { Cluster } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runJob } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, cluster } = invocation;
  const isHeld = options.flag("yes-do-it") && (await cluster.isDrained());
  await runJob(invocation, [{ OP_ID: "OP_CLUSTER_REDIST_CONF" }], {
    ...(isHeld ? { submitting: (submit) => undrained(cluster, submit) } : {}),
  });
  return 0;
}

/** A drained queue accepts no jobs: the drain is lifted during this one submission. */
async function undrained<Value>(cluster: Cluster, act: () => Promise<Value>): Promise<Value> {
  await cluster.setDrained(false);
  try {
    return await act();
  } finally {
    await cluster.setDrained(true);
  }
}
