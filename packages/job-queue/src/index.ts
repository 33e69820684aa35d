/** Life cycle of jobs, from submission to end, tolerating failures of workers. */

// The queue of a worker.

export type { Outcome } from "./administration.js";
export { checkFields, fieldValues, type JobFieldValues } from "./fields.js";
export { type Hindrance, hindranceText } from "./hindrance.js";
export { JobQueue } from "./queue.js";
export type { QueueOptions } from "./queue-options.js";
export type { JobBlock, LiveJobs } from "./roster.js";
export type { RuleEffects, RulePreview, RuleQuestion } from "./rule-effects.js";
export type { Submitted } from "./submission.js";
export type { ChangeRequest, JobChangeAnswer } from "./watching.js";

// Ports of the queue.

export { CancelSource } from "./cancel-source.js";
export type { EffectTakers, Executor, OperationContext } from "./ports.js";

// Tables of jobs, for code that follows the changes of a queue.

export { JobTable } from "./job-table.js";

// Errors: refusals of the queue, and how an operation fails.

export { ExecError, type PrereqCode, PrereqError, refusalWithoutCode } from "./errors.js";
export { OperationError, QueueError, type QueueErrorCode, TryAgainError } from "./queue-error.js";

// The ports to stores.

export {
  type AccessBounds,
  type AccessRecord,
  type AccessStore,
  accessKept,
  endedSessionsMax,
  MemoryAccessStore,
  type StoredAccess,
  storable,
} from "./access-store.js";
export { MemoryDatabase, MemoryStore } from "./memory-store.js";
export {
  type Change,
  type Claim,
  changedId,
  type DeadWorker,
  defaultSettings,
  HaltError,
  type HaltReason,
  type JobChange,
  type JobRow,
  type JobStore,
  LeaseLostError,
  leaseText,
  type News,
  type Selection,
  type Settings,
  type Taken,
  type UndecodedJob,
} from "./store.js";
export { readVersioned } from "./versioned.js";

// Queue files of Ganeti.

export {
  archivedJobFileName,
  jobFile,
  jobFileName,
  lacksSecrets,
  readJobFile,
} from "./job-file.js";

// Status of a job derived from its opcodes, and from the death of its worker.

export { jobPriorityOf, jobStatusOf } from "./job-status.js";
export { afterDeath } from "./recovery.js";
export { withoutSecrets } from "./secrets.js";
export { takenJob } from "./transitions.js";
