/** What jobs that died have left behind is cleared away: of a dead server before anybody takes over, the rest ever again. */
import type { Configuration } from "@ganeti-ts/config";
import type { EffectTakers, JobQueue } from "@ganeti-ts/job-queue";
import { recoverHeld } from "@ganeti-ts/logical-units";
import type { NodeBackend, RefusingNodes } from "@ganeti-ts/node-calls";
import { isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";

/** For what was left by jobs that failed and could not clear away themselves. */
const everyMs = 30_000;

export interface Clearing {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Of this server's worker. */
  readonly lease: string;
  readonly log: Log;
}

export interface Recovering extends Clearing {
  readonly queue: Pick<JobQueue, "query">;
}

/** Nodes refuse a dead server; then what its jobs held is given up, while nobody else has their locks. */
export const takersOf = (refusing: RefusingNodes, clearing: Clearing): EffectTakers => ({
  learnFenced: (leases) => refusing.learnFenced(leases),
  async refuse(lease, jobs) {
    const { log } = clearing;
    try {
      await refusing.refuse(lease);
      const { signal } = new AbortController();
      await giveUpHeld(clearing, signal, async (job) => jobs.includes(job));
      log.warn({ lease, jobs }, "took over from a dead server");
    } catch (error) {
      log.error({ error, lease }, "could not take over from a dead server; it is tried again");
      throw error;
    }
  },
});

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

async function recoverOnce(ports: Recovering, signal: AbortSignal): Promise<void> {
  try {
    await giveUpHeld(ports, signal, async (job) => {
      const [row] = await ports.queue.query([job], ["status"]);
      return row === undefined || isFinalized(row[0] as JobStatus);
    });
  } catch (error) {
    ports.log.error({ error }, "recovery");
  }
}

async function giveUpHeld(
  { config, nodes, lease, log }: Clearing,
  signal: AbortSignal,
  isOver: (job: JobId) => Promise<boolean>,
): Promise<void> {
  const dropped = await recoverHeld({ config, nodes, lease, signal }, isOver);
  if (dropped.length > 0) log.warn({ dropped }, "given up what dead jobs held");
}
