/** What the job queue refuses, as the remote API says it. */
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

/** Anything but a refusal of the queue comes out as it went in. */
export function faultOfQueue(error: unknown): unknown {
  if (!(error instanceof QueueError)) return error;
  const [status, message = error.message] = faults[error.code];
  return new HttpFault(status, message, {}, { cause: error });
}
