/**
 * A job's life, one function per event: each gives the job as it is afterwards. Moments are whole
 * microseconds since the epoch. Calling one in a state that its event cannot meet is a bug.
 */
import {
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
import { currentOpcode } from "./job-status.js";
import { withoutSecretInput } from "./secrets.js";

/** What the opcodes after a failed one get as their result. */
const precedingFailed: Json = ["OpExecError", ["Preceding opcode failed"]];

/** queued → waiting: a worker takes the current opcode. One that is waiting already stays so. */
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

/** waiting → running: its locks are held. */
export const beginOpcode = (job: Job, now: number): Job =>
  change(job, ["waiting"], (opcode) => ({
    ...opcode,
    status: "running",
    executed: timestampOf(now),
  }));

/** running → waiting: resources are short for a while, and the operation can be tried again. */
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

/** waiting or running → error; the opcodes after it fail for that reason. `result` is encoded. */
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

/** waiting → canceling, for the current opcode and all after it: somebody asked for it. */
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

/** Not claimed → canceled: nothing was under way, so there is no result. */
export const cancelQueued = (job: Job, now: number): Job =>
  withEnd(
    changeRest(job, (opcode) => ({ ...opcode, status: "canceled", ended: timestampOf(now) })),
    now,
  );

/** Its worker died: what has not ended fails; what has ended keeps its result. */
export const detectDeath = (job: Job, now: number): Job =>
  failUnfinished(job, `detected death of job ${job.id}`, "deathdetection", now);

/** It could not be started at all. */
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

/** `entries` as `[type, message]`; serials go on from the highest of the job. Gives both. */
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

/** The opcode with one more entry in its reason trail; what is no opcode stays as it is. */
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
  if (opcode === undefined || !states.includes(opcode.status)) {
    throw new Error(`job ${job.id}, opcode ${index}: ${opcode?.status} is not ${states.join("/")}`);
  }
  return { ...job, opcodes: job.opcodes.with(index, next(opcode)) };
}

/** Changes every opcode that has not ended. */
const changeRest = (job: Job, next: (opcode: QueuedOpcode) => QueuedOpcode): Job => ({
  ...job,
  opcodes: job.opcodes.map((opcode) => (isFinalized(opcode.status) ? opcode : next(opcode))),
});

/** Sets the job's end if this was the end of it; what is secret in it is not kept any longer. */
const withEnd = (job: Job, now: number): Job =>
  currentOpcode(job) < 0 && job.ended === null
    ? { ...job, ended: timestampOf(now), opcodes: job.opcodes.map(withoutSecretInput) }
    : job;
