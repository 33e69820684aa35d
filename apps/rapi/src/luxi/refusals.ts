/** Refusals of the cluster as Ganeti's error classes, which its clients turn back into exceptions. */
import { ConfigError } from "@ganeti-ts/config";
import { OperationError, QueueError, type QueueErrorCode } from "@ganeti-ts/job-queue";
import { GanetiError, RequestFault } from "@ganeti-ts/luxi";
import { type Json, spacedJson } from "@ganeti-ts/protocol";
import type { FilterError } from "@ganeti-ts/query";

/** Ganeti's error for each refusal of the queue, with its own text or Ganeti's. */
const ofQueue: Readonly<Record<QueueErrorCode, (message: string) => readonly [string, Json[]]>> = {
  wrong_input: (message) => ["OpPrereqError", [message, "wrong_input"]],
  queue_drained: (message) => ["JobQueueDrainError", [message]],
  queue_full: () => ["JobQueueFull", []],
  unknown_job: () => ["JobLost", ["Can't load job file"]],
  unknown_rule: (message) => ["GenericError", [message]],
  still_running: (message) => ["OpExecError", [message]],
  stopped: (message) => ["LuxiError", [message]],
};

/** Ganeti's error for a refusal of the cluster; returns all other errors unchanged. */
export function asGanetiError(error: unknown): unknown {
  if (error instanceof QueueError) {
    return new GanetiError(...ofQueue[error.code](error.message), { cause: error });
  }
  if (error instanceof OperationError) {
    return new GanetiError(error.errorClass, error.args, { cause: error });
  }
  if (error instanceof ConfigError) return prereqError(error.message, error.code, error);
  return error;
}

export const prereqError = (message: string, code: string, cause?: unknown): GanetiError =>
  new GanetiError("OpPrereqError", [message, code], { cause });

/**
 * Refusal of a filter. `args` are the arguments of the call, which Ganeti quotes where a filter
 * cannot be made of what was sent.
 */
export function filterRefusal(
  error: FilterError,
  args: readonly Json[],
): GanetiError | RequestFault {
  const { code, message } = error;
  switch (code) {
    case "unknown_entity":
      return prereqError(message, "unknown_entity", error);
    case "unknown_field":
    case "wrong_value":
      return new GanetiError("ParameterError", [message], { cause: error });
    case "wrong_filter":
    case "wrong_text":
    case "wrong_arguments":
      return new RequestFault(
        `Cannot convert value '${spacedJson([...args])}', error: ${message}`,
        {
          cause: error,
        },
      );
  }
}
