/** What jobs that died have left behind is cleared away: when the server starts, buries another, and ever again. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import { type NodeBackend, recoverHeld } from "@ganeti-ts/logical-units";
import { isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";

/** A node may have been away, and who buried another may have died since. */
const everyMs = 30_000;

export interface Recovering {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly queue: JobQueue;
  /** Of this server's worker. */
  readonly lease: string;
  readonly log: Log;
}

/** Resolves after the first time; what it gives ends the others. */
export async function keepRecovering(ports: Recovering): Promise<() => void> {
  const ending = new AbortController();
  await recoverOnce(ports, ending.signal);
  // One after the other.
  let last = Promise.resolve();
  const recover = () => {
    last = last.then(() => recoverOnce(ports, ending.signal));
  };
  const timer = setInterval(recover, everyMs);
  timer.unref();
  const stopMourning = ports.queue.onBurial(recover);
  return () => {
    clearInterval(timer);
    stopMourning();
    ending.abort();
  };
}

async function recoverOnce(
  { config, nodes, queue, lease, log }: Recovering,
  signal: AbortSignal,
): Promise<void> {
  try {
    const dropped = await recoverHeld({ config, nodes, lease, signal }, async (job: JobId) => {
      const [row] = await queue.query([job], ["status"]);
      return row === undefined || isFinalized(row[0] as JobStatus);
    });
    if (dropped.length > 0) log.warn({ dropped }, "given up what dead jobs held");
  } catch (error) {
    log.error({ error }, "recovery");
  }
}
