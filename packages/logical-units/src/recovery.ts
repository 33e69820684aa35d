/** Recovery: releases everything that dead or failed jobs have left behind. */
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { ClaimUuid, JobId, JobStatus, TimeOfDay } from "@ganeti-ts/protocol";
import { invariant, isFinalized } from "@ganeti-ts/protocol";
import { clearClaim } from "./clearing/clear-claim.js";
import type { RecoveryPorts } from "./clearing/replacing.js";

export type { RecoveryPorts } from "./clearing/replacing.js";

/**
 * Drops claims of jobs that have ended or died, as judged by `isOver`: first the devices on the
 * nodes, then the claim. If a node keeps its devices, or does not answer, the claim holds their
 * resources until the next run; the same is true for devices on offline nodes, and for old copies
 * of disks until the new copy is complete. To be called when a server starts, after it has found
 * others dead, and periodically; repeating it is harmless. Returns the UUIDs of the dropped
 * claims.
 *
 * No locks are taken, and no living job is disturbed: minors, names of volumes and space of an
 * claim belong to it alone as long as it exists, so no other object gets them before the devices
 * are removed. Names that another job would use again are those of a reservation that is made real,
 * of a mirror on a new secondary, of disks moved to another node, of files moved to another folder, of
 * snapshots and of an export: they are refused while the claim of a dead job exists.
 */
export async function recoverHeld(
  ports: RecoveryPorts,
  isOver: (job: JobId) => Promise<boolean>,
): Promise<readonly ClaimUuid[]> {
  const now = await ports.config.refresh();
  const dropped: ClaimUuid[] = [];
  for (const { uuid, job } of now.claims()) {
    if (!(await isOver(job))) continue;
    // It may have been replaced or dropped since the list was made.
    const claim = ports.config.snapshot.claim(uuid);
    if (claim === undefined || !(await clearClaim(ports, claim))) continue;
    const { snapshot } = ports.config;
    invariant(snapshot.claim(uuid) === undefined, () => `claim ${uuid}: is cleared, and remains`);
    dropped.push(uuid);
  }
  return dropped;
}

/** Ports of `jobIsOver`. */
export interface EndedJobPorts {
  readonly queue: Pick<JobQueue, "query" | "handles">;
  readonly clock: TimeOfDay;
  /**
   * Time (ms) after the end of a job of another server in which its last call may still reach a node: a server that stands
   * still learns of a kill late, and is refused once its lease has ended. 0 for a server that is alone.
   */
  readonly lateCallsMs: number;
}

/** Whether the job has ended and none of its calls can reach a node any more. A killed job ends before its last call does. */
export async function jobIsOver(
  { queue, clock, lateCallsMs }: EndedJobPorts,
  job: JobId,
): Promise<boolean> {
  if (queue.handles(job)) return false;
  const [row] = await queue.query([job], ["status", "end_ts"]);
  if (row === undefined) return true;
  const [status, end] = row as [JobStatus, readonly [seconds: number, micros: number] | null];
  const endMicros = end === null ? 0 : end[0] * 1e6 + end[1];
  return isFinalized(status) && clock.wallMicros() - endMicros >= lateCallsMs * 1000;
}
