/** Errors of operations: Ganeti's classes, with their form in an opcode's result. */
import { OperationError } from "./queue-error.js";

/**
 * | code | meaning |
 * |---|---|
 * | `resolver_error` | a name cannot be resolved |
 * | `insufficient_resources` | too little memory, disk, addresses or nodes |
 * | `temp_insufficient_resources` | the same, but it may pass |
 * | `wrong_input` | parameters that cannot be |
 * | `wrong_state` | possible in general, but not as things are |
 * | `unknown_entity` | no such instance, node, group or network |
 * | `already_exists` | it is there already |
 * | `resource_not_unique` | a name, address or UUID that is taken |
 * | `internal_error` | a bug |
 * | `environment_error` | a node, a program or a file is not as it should be |
 */
export type PrereqCode =
  | "resolver_error"
  | "insufficient_resources"
  | "temp_insufficient_resources"
  | "wrong_input"
  | "wrong_state"
  | "unknown_entity"
  | "already_exists"
  | "resource_not_unique"
  | "internal_error"
  | "environment_error";

/** A refusal by the checks, before any change. The result is `["OpPrereqError", [message, code]]`. */
export class PrereqError extends OperationError {
  readonly code: PrereqCode;

  constructor(code: PrereqCode, message: string, options?: ErrorOptions) {
    super("OpPrereqError", [message, code], options);
    this.code = code;
  }
}

/** A failure during execution. The result is `["OpExecError", [message]]`. */
export class ExecError extends OperationError {
  constructor(message: string, options?: ErrorOptions) {
    super("OpExecError", [message], options);
  }
}

/** A PrereqError where Ganeti has no code: the result is `["OpPrereqError", [message]]`. */
export const refusalWithoutCode = (message: string): OperationError =>
  new OperationError("OpPrereqError", [message]);
