/** What becomes of the jobs of a worker that died. */
import type { Job } from "@ganeti-ts/protocol";
import type { Step } from "./step.js";
import { type Claim, type DeadWorker, leaseText } from "./store.js";
import { detectDeath } from "./transitions.js";

/**
 * Fences the dead. Those whose lease is refused everywhere, by `isRefused`, are buried: jobs with an opcode
 * under way have failed, for nobody can know how far it came; those caught between two opcodes go back into
 * the queue. The others keep what they have until then. Gives who was buried.
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

/** A job whose worker has died: failed, or as it was if nothing was under way. `now` in microseconds. */
export function afterDeath(job: Job, now: number): Job {
  const isUnderWay = job.opcodes.some(
    ({ status }) => status === "waiting" || status === "running" || status === "canceling",
  );
  return isUnderWay ? detectDeath(job, now) : job;
}
