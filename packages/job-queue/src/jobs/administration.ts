/** Administrative commands on existing jobs: cancel, change the priority, archive. */

import type { Clock } from "@ganeti-ts/protocol";
import {
  invalidPriority,
  isFinalized,
  type Job,
  type JobId,
  type JobStatus,
  SubmitPriority,
  statusConstant,
} from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import {
  cancelQueued,
  changePriority,
  detectDeath,
  requestCancel,
} from "../running/transitions.js";
import type { Command, Engine } from "../steps/engine.js";
import { currentOpcode, jobStatusOf } from "./job-status.js";
import { until, type Watchers } from "./watching.js";

/** Whether the command took effect, and a message for the user. */
export type Outcome = readonly [done: boolean, message: string];

/** Time (ms) that a cancellation waits for the job's worker. */
const cancelMs = 44_000;

/** Cancels the job, and waits for a while until its worker has noticed. */
export async function cancelJob(
  engine: Engine,
  watchers: Watchers,
  clock: Clock,
  id: JobId,
  kill: boolean,
): Promise<Outcome> {
  const answer = await engine.run(cancelCommand(id, kill));
  if (answer !== "pending") return answer;
  const statusOf = async () => (await engine.store.read([id]))[0]?.status;
  await until(watchers, id, { clock, timeoutMs: cancelMs }, async () => {
    const status = engine.image.get(id) === undefined ? await statusOf() : undefined;
    return status !== undefined && isFinalized(status) ? status : undefined;
  });
  return cancelOutcome((await statusOf()) ?? "canceling");
}

/** "pending": the cancellation was passed to the job's worker; its result takes a while. */
function cancelCommand(id: JobId, kill: boolean): Command<Outcome | "pending"> {
  return {
    wanted: [id],
    apply(step) {
      const row = step.row(id);
      if (step.buried.has(id) && row === undefined)
        return [true, `Job ${id} has been already dead`];
      if (row?.job === undefined || row.archived || isFinalized(row.status)) {
        return [false, `Job ${id} not found in queue`];
      }
      const { job, claim } = row;
      if (claim === null) {
        step.put(cancelQueued(job, step.now), null);
        return [true, `Dequeued job ${id}`];
      }
      if (kill) {
        step.put(detectDeath(job, step.now), null);
        return [true, "SIGKILL send to the process"];
      }
      switch (statusNow(job)) {
        case "waiting":
          step.put(requestCancel(job), claim);
          return "pending";
        case "canceling":
          return "pending";
        default:
          step.put(job, { ...claim, cancel: true });
          return [false, "Job no longer waiting, can't cancel (informed it anyway)"];
      }
    },
  };
}

/** Message about a cancelled job, by the status it reached afterwards. */
function cancelOutcome(status: JobStatus): Outcome {
  if (status === "canceled") return [true, "Job successfully cancelled"];
  const name = statusConstant(status);
  return isFinalized(status)
    ? [false, `Job exited before it could have been canceled, status ${name}`]
    : [false, `Job could not be canceled, status ${name}`];
}

/** @throws QueueError for a priority that cannot be requested */
export function priorityCommand(id: JobId, priority: number): Command<Outcome> {
  if (!SubmitPriority.safeParse(priority).success) {
    throw new QueueError("wrong_input", invalidPriority(priority));
  }
  return {
    wanted: [id],
    apply(step) {
      const row = step.row(id);
      if (row?.job === undefined || row.archived) return [false, `Job ${id} not found in queue`];
      const { job, claim, status } = row;
      if (isFinalized(status)) return [false, `Job ${id} is finished`];
      if (status === "canceling") return [false, `Job ${id} is cancelling`];
      const pending = job.opcodes.some(
        (one) => one.status === "queued" || one.status === "waiting",
      );
      if (!pending) return [false, `Job ${id} had no pending opcodes`];
      step.put(changePriority(job, priority, claim !== null), claim);
      step.unsettled = true;
      return [true, `Priorities of pending opcodes for job ${id} have been changed to ${priority}`];
    },
  };
}

export function archiveCommand(ids: readonly JobId[]): Command<number> {
  return {
    wanted: ids,
    apply(step) {
      const over = ids.filter((id) => {
        const row = step.row(id);
        return row !== undefined && !row.archived && isFinalized(row.status);
      });
      if (over.length > 0) step.archive(over);
      return over.length;
    },
  };
}

const archivedAtOnce = 1000;

/**
 * Archives jobs that ended more than `ageSeconds` ago; all ended jobs if that is negative. Ids ascending;
 * stops after `timeoutSeconds`. Returns the numbers of archived and remaining jobs.
 */
export async function autoArchive(
  engine: Engine,
  clock: Clock,
  ageSeconds: number,
  timeoutSeconds: number,
): Promise<readonly [archived: number, unchecked: number]> {
  const end = clock.now() + timeoutSeconds * 1000;
  const endedBefore = ageSeconds < 0 ? Infinity : clock.wallMicros() - ageSeconds * 1e6;
  const ids = await engine.store.list({ archived: false, endedBefore });
  let archived = 0;
  let at = 0;
  while (at < ids.length && clock.now() < end) {
    const some = ids.slice(at, at + archivedAtOnce);
    at += some.length;
    archived += await engine.run(archiveCommand(some));
  }
  return [archived, ids.length - at];
}

const statusNow = (job: Job): JobStatus =>
  job.opcodes[currentOpcode(job)]?.status ?? jobStatusOf(job.opcodes);
