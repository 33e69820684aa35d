/** Recovery of the jobs of a dead worker. */
import type { Job } from "@ganeti-ts/protocol";
import { currentOpcode } from "../jobs/job-status.js";
import type { Step } from "../steps/step.js";
import { type Claim, type DeadWorker, leaseText } from "../stores/store.js";
import { detectDeath, noticeCancel, pauseOpcode } from "./transitions.js";

/**
 * Fences dead workers, and buries those whose lease is refused everywhere (`isRefused`): `afterDeath`
 * describes the effect on their jobs. The others keep their jobs and locks until then. Returns the buried
 * workers.
 */
export function recoverDead(
  step: Step,
  dead: readonly DeadWorker[],
  isRefused: (lease: string) => boolean,
): readonly Claim[] {
  for (const gone of dead) if (!gone.fenced) step.fence(gone);
  const buried = dead.filter((gone) => isRefused(leaseText(gone)));
  for (const gone of buried) {
    step.bury(gone);
    for (const id of [...step.image.claimed]) {
      const entry = step.image.get(id);
      if (entry?.claim?.worker !== gone.worker) continue;
      step.buried.add(id);
      step.put(afterDeath(entry.job, step.now), null);
    }
  }
  return buried;
}

/**
 * A job whose worker has died, by the status that is stored of its current opcode. `now` in microseconds.
 *
 * | status | what is certain | the job |
 * |---|---|---|
 * | `running` | the operation may have had effects: this is stored before it is called | has failed |
 * | `waiting` | the operation has not been called since it was last stored as waiting | is queued, and takes the opcode up again |
 * | `canceling` | the same, and a cancel was requested | is canceled |
 * | `queued` | it was between two opcodes | stays queued |
 */
export function afterDeath(job: Job, now: number): Job {
  switch (job.opcodes[currentOpcode(job)]?.status) {
    case "running":
      return detectDeath(job, now);
    case "waiting":
      return pauseOpcode(job);
    case "canceling":
      return noticeCancel(job, now);
    default:
      return job;
  }
}
