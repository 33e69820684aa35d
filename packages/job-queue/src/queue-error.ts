/** Errors of the queue, and errors by which operations report failures. */
import { isJson, type Json } from "@ganeti-ts/protocol";

/**
 * | code | Ganeti's class | meaning |
 * |---|---|---|
 * | `wrong_input` | OpPrereqError | the opcodes are not a valid job |
 * | `queue_drained` | JobQueueDrainError | the drain flag is set |
 * | `queue_full` | JobQueueFull | as many jobs as the limit allows |
 * | `unknown_job` | JobLost | no such job, or archived |
 * | `unknown_rule` | OpPrereqError | no filter rule with that uuid |
 * | `still_running` | OpExecError | its worker has not released it |
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

/** A refused call; nothing has changed. */
export class QueueError extends Error {
  override readonly name = "QueueError";
  readonly code: QueueErrorCode;

  constructor(code: QueueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A failure of an operation, with Ganeti's class and arguments for the opcode's result. */
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
 * Thrown by an operation that temporarily lacks resources: its locks are released and it waits, as after a
 * failed attempt to acquire its locks.
 */
export class TryAgainError extends Error {
  override readonly name = "TryAgainError";
}

/**
 * Encodes an error for an opcode's result.
 *
 * | error | result |
 * |---|---|
 * | OperationError whose arguments are JSON | `[errorClass, args]` |
 * | another error with a `name` of its own, such as `DiskFull` | `[name, [message]]` |
 * | `Error`, `TypeError` and the like, errors of queue and locks, values that are not errors | `["OpExecError", [message]]` |
 */
export function encodeError(error: unknown): Json {
  if (error instanceof OperationError && isJson(error.args))
    return [error.errorClass, [...error.args]];
  if (!(error instanceof Error)) return ["OpExecError", [String(error)]];
  const isOwn = !commonErrors.has(error.name) && /^[A-Za-z]\w*$/.test(error.name);
  return [isOwn ? error.name : "OpExecError", [error.message || error.name]];
}

/** Names without information about the operation: errors of the language, and of the queue, locks and stores. */
const commonErrors: ReadonlySet<string> = new Set([
  ...["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"],
  ...["AggregateError", "DOMException", "AbortError", "TimeoutError", "SystemError"],
  ...[
    "OperationError",
    "QueueError",
    "LockError",
    "LeaseLostError",
    "HaltError",
    "TryAgainError",
    "InvariantError",
  ],
]);
