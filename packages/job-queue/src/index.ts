/** Life cycle of jobs, from submission to end, tolerating failures of workers. */

// The queue of a worker.

export type { Outcome } from "./jobs/administration.js";
export { checkFields, fieldValues, type JobFieldValues } from "./jobs/fields.js";
export type { Submitted } from "./jobs/submission.js";
export type { ChangeRequest, JobChangeAnswer } from "./jobs/watching.js";
export { JobQueue } from "./queue.js";
export type { QueueOptions } from "./queue-options.js";
export { type Hindrance, hindranceText } from "./starting/hindrance.js";
export type { RuleEffects, RulePreview, RuleQuestion } from "./starting/rule-effects.js";
export type { JobBlock, LiveJobs } from "./steps/roster.js";

// Ports of the queue.

export type { EffectTakers, Executor, OperationContext } from "./ports.js";
export { CancelSource } from "./running/cancel-source.js";

// Tables of jobs, for code that follows the changes of a queue.

export { JobTable } from "./steps/job-table.js";

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
} from "./stores/access-store.js";
export { MemoryDatabase, MemoryStore } from "./stores/memory-store.js";
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
} from "./stores/store.js";
export { readVersioned } from "./stores/versioned.js";

// Queue files of Ganeti.

export {
  archivedJobFileName,
  jobFile,
  jobFileName,
  lacksSecrets,
  readJobFile,
} from "./jobs/job-file.js";

// Status of a job derived from its opcodes, and from the death of its worker.

export { jobPriorityOf, jobStatusOf } from "./jobs/job-status.js";
export { withoutSecrets } from "./jobs/secrets.js";
export { afterDeath } from "./running/recovery.js";
export { takenJob } from "./running/transitions.js";
