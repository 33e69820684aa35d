/** Status and priority of a job, computed from its opcodes and never set. */
import { isFinalized, type Job, type JobStatus, type QueuedOpcode } from "@ganeti-ts/protocol";

interface Facts {
  readonly status: JobStatus;
  readonly priority: number;
  readonly current: number;
}

/** Results for lists of at least this length are cached, because a step needs them several times. */
const longList = 32;
const factsOf = new WeakMap<readonly QueuedOpcode[], Facts>();

function facts(opcodes: readonly QueuedOpcode[]): Facts {
  const known = factsOf.get(opcodes);
  if (known !== undefined) return known;
  const made = {
    status: statusAmong(opcodes),
    priority: priorityAmong(opcodes),
    current: currentAmong(opcodes),
  };
  factsOf.set(opcodes, made);
  return made;
}

/**
 * The first opcode in error, canceling or canceled decides; otherwise the last one that waits or runs;
 * otherwise the job is a success if all opcodes are, and queued if not.
 */
export const jobStatusOf = (opcodes: readonly QueuedOpcode[]): JobStatus =>
  opcodes.length < longList ? statusAmong(opcodes) : facts(opcodes).status;

function statusAmong(opcodes: readonly QueuedOpcode[]): JobStatus {
  let status: JobStatus = "queued";
  let allSucceeded = true;
  for (const opcode of opcodes) {
    if (opcode.status !== "success") allSucceeded = false;
    switch (opcode.status) {
      case "error":
      case "canceling":
      case "canceled":
        return opcode.status;
      case "waiting":
      case "running":
        status = opcode.status;
        break;
      case "success":
      case "queued":
        break;
    }
  }
  return allSucceeded ? "success" : status;
}

/** The best of the opcodes that have not ended; 0 when all have. */
export const jobPriorityOf = (opcodes: readonly QueuedOpcode[]): number =>
  opcodes.length < longList ? priorityAmong(opcodes) : facts(opcodes).priority;

function priorityAmong(opcodes: readonly QueuedOpcode[]): number {
  let best: number | undefined;
  for (const { status, priority } of opcodes) {
    if (!isFinalized(status) && (best === undefined || priority < best)) best = priority;
  }
  return best ?? 0;
}

/** Index of the present or next opcode: the first that has not ended; -1 if all have. */
export const currentOpcode = ({ opcodes }: Job): number =>
  opcodes.length < longList ? currentAmong(opcodes) : facts(opcodes).current;

const currentAmong = (opcodes: readonly QueuedOpcode[]): number =>
  opcodes.findIndex(({ status }) => !isFinalized(status));

/** All opcodes have ended; equivalent to `job.ended !== null`. */
export const isJobFinalized = (job: Job): boolean => isFinalized(jobStatusOf(job.opcodes));
