/**
 * Transitions of a job, one function per event, each returning the new state of the job. Times are integer
 * microseconds since the epoch. Calling a function in a state in which its event cannot occur is a bug.
 */
import {
  invariant,
  isFinalized,
  isJsonObject,
  type Job,
  type JobStatus,
  type Json,
  type LogEntry,
  nanosecondsOf,
  type QueuedOpcode,
  type ReasonEntry,
  timestampOf,
} from "@ganeti-ts/protocol";
import { currentOpcode } from "../jobs/job-status.js";
import { withoutSecretInput } from "../jobs/secrets.js";
import { leaseText, type Taken } from "../stores/store.js";

/** Result of the opcodes after a failed one. */
const precedingFailed: Json = ["OpExecError", ["Preceding opcode failed"]];

/** queued → waiting: a worker takes the current opcode. An opcode that is already waiting stays so. */
export function takeOpcode(job: Job, now: number): Job {
  const started = timestampOf(now);
  const taken = change(job, ["queued", "waiting"], (opcode) => ({
    ...opcode,
    status: "waiting",
    started: opcode.started ?? started,
    result: null,
  }));
  return { ...taken, started: job.started ?? started };
}

/** queued → waiting or running, as recorded when the job was claimed. */
export function takenJob(
  job: Job,
  { claim, status, at, processId }: Omit<Taken, "id" | "opcodeCount">,
): Job {
  const owner = { livelock: leaseText(claim), ...(processId ? { processId } : {}) };
  const ours = Object.assign({}, job, owner);
  const taken = takeOpcode(ours, at);
  return status === "running" ? beginOpcode(taken, at) : taken;
}

/** waiting → running: its locks are held. */
export const beginOpcode = (job: Job, now: number): Job =>
  change(job, ["waiting"], (opcode) => ({
    ...opcode,
    status: "running",
    executed: timestampOf(now),
  }));

/** running → waiting: resources are temporarily short, and the operation can be retried. */
export const retryOpcode = (job: Job): Job =>
  change(job, ["running"], (opcode) => ({ ...opcode, status: "waiting", executed: null }));

/** waiting → queued: a rule pauses the job, or its worker stops or has died. */
export const pauseOpcode = (job: Job): Job =>
  change(job, ["waiting"], (opcode) => ({ ...opcode, status: "queued" }));

/** running → success. */
export const finishOpcode = (job: Job, result: Json, now: number): Job =>
  withEnd(
    change(job, ["running"], (opcode) => ({
      ...opcode,
      status: "success",
      result,
      ended: timestampOf(now),
    })),
    now,
  );

/** waiting or running → error; the following opcodes fail as a consequence. `result` is encoded. */
export const failOpcode = (job: Job, result: Json, now: number): Job =>
  withEnd(
    changeRest(
      change(job, ["waiting", "running"], fail(result, now)),
      ({ ended: _, ...opcode }) => ({
        ...opcode,
        ended: null,
        status: "error",
        result: precedingFailed,
      }),
    ),
    now,
  );

/** waiting → canceling, for the current opcode and all following ones, on request. */
export function requestCancel(job: Job): Job {
  change(job, ["waiting"], (opcode) => opcode);
  return changeRest(job, (opcode) => ({ ...opcode, status: "canceling" }));
}

/** canceling → canceled: its worker has noticed, or has died. */
export function noticeCancel(job: Job, now: number): Job {
  const noticed = change(job, ["canceling"], (opcode) => ({ ...opcode, ended: timestampOf(now) }));
  return withEnd(
    changeRest(noticed, (opcode) => ({
      ...opcode,
      status: "canceled",
      result: "Job canceled by request",
    })),
    now,
  );
}

/** Not claimed → canceled: it was not running, so there is no result. */
export const cancelQueued = (job: Job, now: number): Job =>
  withEnd(
    changeRest(job, (opcode) => ({ ...opcode, status: "canceled", ended: timestampOf(now) })),
    now,
  );

/** Its worker died: unfinished opcodes fail; ended ones keep their result. */
export const detectDeath = (job: Job, now: number): Job =>
  failUnfinished(job, `detected death of job ${job.id}`, "deathdetection", now);

/** The job could not be started. */
export const failToStart = (job: Job, problem: string, now: number): Job =>
  failUnfinished(job, `job ${job.id} failed to start: ${problem}`, "startjobs", now);

/** New priority for the opcodes that have not ended; with `pendingOnly` not for a running one. */
export const changePriority = (job: Job, priority: number, pendingOnly: boolean): Job =>
  changeRest(job, (opcode) =>
    pendingOnly && opcode.status === "running" ? opcode : { ...opcode, priority },
  );

/** A better priority for the current opcode, because it has waited long enough for its locks. */
export const escalate = (job: Job, priority: number): Job =>
  change(job, ["waiting"], (opcode) => ({ ...opcode, priority }));

/**
 * `entries` as `[type, message]`; serials continue after the highest of the job. Returns the job and the new
 * entries.
 */
export function appendLog(
  job: Job,
  index: number,
  entries: readonly (readonly [type: string, message: Json])[],
  now: number,
): { readonly job: Job; readonly added: readonly LogEntry[] } {
  let serial = lastLogSerial(job);
  const added = entries.map(([type, message]): LogEntry => {
    serial++;
    return [serial, timestampOf(now), type, message];
  });
  const opcode = job.opcodes[index] as QueuedOpcode;
  const opcodes = job.opcodes.with(index, { ...opcode, log: [...opcode.log, ...added] });
  return { job: { ...job, opcodes }, added };
}

/** The highest serial in the job's log; 0 if it is empty. */
function lastLogSerial(job: Job): number {
  let last = 0;
  for (const { log } of job.opcodes) last = Math.max(last, log.at(-1)?.[0] ?? 0);
  return last;
}

function failUnfinished(job: Job, message: string, detector: string, now: number): Job {
  const reason: ReasonEntry = [`gnt:daemon:luxid:${detector}`, message, nanosecondsOf(now)];
  return withEnd(
    changeRest(job, (opcode) => ({
      ...fail(message, now)(opcode),
      input: withReason(opcode.input, reason),
    })),
    now,
  );
}

const fail =
  (result: Json, now: number) =>
  (opcode: QueuedOpcode): QueuedOpcode => ({
    ...opcode,
    status: "error",
    result,
    ended: timestampOf(now),
  });

/** The opcode with one more entry in its reason trail; an invalid opcode is unchanged. */
const withReason = (input: Json, reason: ReasonEntry): Json =>
  isJsonObject(input)
    ? { ...input, reason: [...(Array.isArray(input.reason) ? input.reason : []), reason] }
    : input;

/** Changes the current opcode, which must be in one of `states`. */
function change(
  job: Job,
  states: readonly JobStatus[],
  next: (opcode: QueuedOpcode) => QueuedOpcode,
): Job {
  const index = currentOpcode(job);
  const opcode = job.opcodes[index];
  invariant(
    opcode !== undefined && states.includes(opcode.status),
    () => `job ${job.id}, opcode ${index}: ${opcode?.status} is not ${states.join("/")}`,
  );
  return { ...job, opcodes: job.opcodes.with(index, next(opcode)) };
}

/** Changes every opcode that has not ended. */
const changeRest = (job: Job, next: (opcode: QueuedOpcode) => QueuedOpcode): Job => ({
  ...job,
  opcodes: job.opcodes.map((opcode) => (isFinalized(opcode.status) ? opcode : next(opcode))),
});

/** Sets the job's end if all opcodes have ended, and removes its secrets. */
const withEnd = (job: Job, now: number): Job =>
  currentOpcode(job) < 0 && job.ended === null
    ? { ...job, ended: timestampOf(now), opcodes: job.opcodes.map(withoutSecretInput) }
    : job;
