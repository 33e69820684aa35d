/** What jobs that died have left behind is cleared away: when the server starts, and ever again. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import { type NodeBackend, recoverHeld } from "@ganeti-ts/logical-units";
import { isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";

/** Other servers may die at any time. */
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
  const timer = setInterval(() => void recoverOnce(ports, ending.signal), everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
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
