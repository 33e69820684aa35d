/**
 * Cleanup after dead jobs: once for a dead worker before its locks are released, then periodically
 * for leftovers.
 */
import type { Configuration } from "@ganeti-ts/config";
import { CancelSource, type EffectTakers } from "@ganeti-ts/job-queue";
import { type EndedJobPorts, jobIsOver, recoverHeld } from "@ganeti-ts/logical-units";
import type { NodeBackend, RefusingNodes } from "@ganeti-ts/node-calls";
import {
  type CancelSignal,
  invariant,
  type JobId,
  type TimeOfDay,
  type Timers,
} from "@ganeti-ts/protocol";
import type { ClusterLog } from "./log.js";
import { nobody } from "./nodes/asking-nodes.js";

/** Interval (ms) of the cleanup after jobs that failed and could not clean up themselves. */
const everyMs = 30_000;

export interface Clearing {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Lease of the calling worker. */
  readonly lease: string;
  readonly log: ClusterLog;
}

export interface Recovering extends Clearing, EndedJobPorts {
  readonly clock: Pick<Timers, "after"> & TimeOfDay;
}

/** Makes nodes refuse a dead worker, and releases what its jobs held while their locks are still taken. */
export const takersOf = (
  refusing: RefusingNodes,
  clearing: Clearing,
  callsEnded: (lease: string) => Promise<void> = async () => undefined,
): EffectTakers => ({
  learnFenced: (leases) => refusing.learnFenced(leases),
  async refuse(lease, jobs) {
    const { log } = clearing;
    invariant(lease !== clearing.lease, () => `worker ${lease}: would take over from itself`);
    try {
      await refusing.refuse(lease);
      await callsEnded(lease);
      await giveUpHeld(clearing, nobody.signal, async (job) => jobs.includes(job));
      log.warn({ lease, jobs }, "took over from a dead server");
    } catch (error) {
      log.error({ error, lease }, "could not take over from a dead server; trying again");
      throw error;
    }
  },
});

/** Starts the first run, and further ones at intervals; returns a function that ends them. */
export function keepRecovering(ports: Recovering): () => void {
  const ending = new CancelSource();
  let stopTimer = () => {};
  const later = () => {
    stopTimer = ports.clock.after(everyMs, () => {
      void recoverOnce(ports, ending.signal);
      later();
    });
  };
  // Not awaited: a node that does not answer may delay the run by a quarter of an hour.
  void recoverOnce(ports, ending.signal);
  later();
  return () => {
    stopTimer();
    ending.fire(new Error("the cluster has been stopped"));
  };
}

async function recoverOnce(ports: Recovering, signal: CancelSignal): Promise<void> {
  try {
    await giveUpHeld(ports, signal, (job) => jobIsOver(ports, job));
  } catch (error) {
    ports.log.error({ error }, "recovery failed");
  }
}

async function giveUpHeld(
  { config, nodes, lease, log }: Clearing,
  signal: CancelSignal,
  isOver: (job: JobId) => Promise<boolean>,
): Promise<void> {
  const dropped = await recoverHeld({ config, nodes, lease, signal }, isOver);
  if (dropped.length > 0) log.warn({ dropped }, "released resources held by dead jobs");
}
