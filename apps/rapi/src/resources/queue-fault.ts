/** Refusals of the job queue as faults of the remote API. */
import { QueueError, type QueueErrorCode } from "@ganeti-ts/job-queue";
import { type FaultStatus, HttpFault } from "../http/fault.js";

const faults: Readonly<Record<QueueErrorCode, readonly [FaultStatus, string?]>> = {
  wrong_input: [400],
  queue_drained: [503, "Job queue is drained, cannot submit"],
  queue_full: [503, "Job queue is full, needs archiving"],
  unknown_job: [404, "Not Found"],
  unknown_rule: [404],
  still_running: [500],
  stopped: [502],
};

/** Other errors are passed on unchanged. */
export function faultOfQueue(error: unknown): unknown {
  if (!(error instanceof QueueError)) return error;
  const [status, message = error.message] = faults[error.code];
  return new HttpFault(status, message, {}, { cause: error });
}
