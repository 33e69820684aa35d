/** Errors that end a command. failure.ts words each of them and chooses its exit code. */
import type { Json } from "@ganeti-ts/protocol";

/**
 * A failure of one of Ganeti's error classes, from this program or a server: class name and
 * arguments.
 */
export class GanetiError extends Error {
  override readonly name = "GanetiError";
  /** `OpPrereqError`, `OpExecError`, `TagError`, … */
  readonly className: string;
  readonly args: readonly Json[];

  constructor(className: string, args: readonly Json[], options?: ErrorOptions) {
    super(
      args.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", "),
      options,
    );
    this.className = className;
    this.args = args;
  }
}

export type PrereqCode =
  | ("wrong_input" | "wrong_state" | "unknown_entity" | "already_exists" | "not_unique")
  | ("insufficient_resources" | "temp_insufficient_resources" | "resource_not_unique")
  | ("environment_error" | "internal_error");

/** A request that cannot be carried out as it stands. */
export const prereqError = (message: string, code: PrereqCode = "wrong_input"): GanetiError =>
  new GanetiError("OpPrereqError", [message, code]);

/** An invalid parameter of the command line: Ganeti's ParameterError. */
export const parameterError = (message: string): GanetiError =>
  new GanetiError("ParameterError", [message]);

/** A value of the wrong type. */
export const typeError = (message: string): GanetiError =>
  new GanetiError("TypeEnforcementError", [message]);

/** A failure during execution. */
export const execError = (message: string): GanetiError =>
  new GanetiError("OpExecError", [message]);

/** Ends the command with this text on standard error; an empty text prints nothing. */
export class Ending extends Error {
  override readonly name = "Ending";
  readonly exitCode: number;

  constructor(text: string, exitCode = 1) {
    super(text);
    this.exitCode = exitCode;
  }
}

/** A server of Ganeti has no request for the operation. */
export class ServerLacks extends Ending {}

/** `--submit`: the job continues alone, the command is done. */
export class JobSubmitted extends Error {
  override readonly name = "JobSubmitted";
  readonly id: number;

  constructor(id: number) {
    super(`JobID: ${id}`);
    this.id = id;
  }
}

/** Ctrl-C: running jobs continue. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly jobs: readonly number[];
  /** Last known status of a single job; it decides whether the job can still be cancelled. */
  readonly status: string | undefined;

  constructor(jobs: readonly number[] = [], status?: string) {
    super("interrupted");
    this.jobs = jobs;
    this.status = status;
  }
}

/** An invalid command line: reported after the usage of the command, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The server does not answer, or answers invalidly. */
export class ConnectionFailure extends Error {
  override readonly name = "ConnectionFailure";
  /** A retry may succeed: the connection was cut, or the server is starting. */
  readonly passing: boolean;

  constructor(
    text: string,
    { passing = false, ...options }: ErrorOptions & { passing?: boolean } = {},
  ) {
    super(text, options);
    this.passing = passing;
  }
}

/** An invalid filter text. */
export class FilterTextFailure extends Error {
  override readonly name = "FilterTextFailure";
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[]) {
    super(message);
    this.details = details;
  }
}
