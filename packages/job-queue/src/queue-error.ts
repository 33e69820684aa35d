/** Refusals of the queue, and what operations may throw to say how they failed. */
import { isJson, type Json } from "@ganeti-ts/protocol";

/**
 * | code | Ganeti's class | meaning |
 * |---|---|---|
 * | `wrong_input` | OpPrereqError | no job can be made of this |
 * | `queue_drained` | JobQueueDrainError | the drain flag is set |
 * | `queue_full` | JobQueueFull | as many jobs as the limit allows |
 * | `unknown_job` | JobLost | no such job, or archived |
 * | `unknown_rule` | OpPrereqError | no filter rule with that uuid |
 * | `still_running` | OpExecError | its worker does not let go of it |
 * | `stopped` | LuxiError | this queue has been stopped, or lost its lease |
 */
export type QueueErrorCode =
  | "wrong_input"
  | "queue_drained"
  | "queue_full"
  | "unknown_job"
  | "unknown_rule"
  | "still_running"
  | "stopped";

/** A call that cannot be carried out; nothing has changed. */
export class QueueError extends Error {
  override readonly name = "QueueError";
  readonly code: QueueErrorCode;

  constructor(code: QueueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A failure of an operation, by Ganeti's class and arguments: what its opcode's result will say. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly errorClass: string;
  readonly args: readonly Json[];

  constructor(errorClass: string, args: readonly Json[], options?: ErrorOptions) {
    super(String(args[0] ?? errorClass), options);
    this.errorClass = errorClass;
    this.args = args;
  }
}

/**
 * Thrown by an operation that lacks resources for now and may be tried again: its locks are freed
 * and it waits, as after an attempt to get its locks that was in vain.
 */
export class TryAgainError extends Error {
  override readonly name = "TryAgainError";
}

/**
 * What the opcode's result says of an error.
 *
 * | error | result |
 * |---|---|
 * | OperationError whose arguments are JSON | `[errorClass, args]` |
 * | another error with a `name` of its own, such as `DiskFull` | `[name, [message]]` |
 * | `Error`, `TypeError` and the like, errors of queue and locks, values that are no errors | `["OpExecError", [message]]` |
 */
export function encodeError(error: unknown): Json {
  if (error instanceof OperationError && isJson(error.args))
    return [error.errorClass, [...error.args]];
  if (!(error instanceof Error)) return ["OpExecError", [String(error)]];
  const isOwn = !commonErrors.has(error.name) && /^[A-Za-z]\w*$/.test(error.name);
  return [isOwn ? error.name : "OpExecError", [error.message || error.name]];
}

/** Names that say nothing about the operation: the language's errors, and those of the machinery below it. */
const commonErrors: ReadonlySet<string> = new Set([
  ...["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"],
  ...["AggregateError", "DOMException", "AbortError", "TimeoutError", "SystemError"],
  ...["OperationError", "QueueError", "LockError", "LeaseLostError", "TryAgainError"],
]);
