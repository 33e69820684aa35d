/** How a command ends that does not simply succeed. failure.ts words each, with its exit code. */
import type { Json } from "@ganeti-ts/protocol";

/** A failure of one of Ganeti's error classes, found here or told by a server: class name and arguments. */
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

/** What was asked for cannot be done as it stands. */
export const prereqError = (message: string, code: PrereqCode = "wrong_input"): GanetiError =>
  new GanetiError("OpPrereqError", [message, code]);

/** A parameter of the command line that makes no sense: Ganeti's ParameterError. */
export const parameterError = (message: string): GanetiError =>
  new GanetiError("ParameterError", [message]);

/** A value of the wrong type. */
export const typeError = (message: string): GanetiError =>
  new GanetiError("TypeEnforcementError", [message]);

/** Something that did not work on the way. */
export const execError = (message: string): GanetiError =>
  new GanetiError("OpExecError", [message]);

/** Ends the command with this text on standard error as it is; nothing is said where it is empty. */
export class Ending extends Error {
  override readonly name = "Ending";
  readonly exitCode: number;

  constructor(text: string, exitCode = 1) {
    super(text);
    this.exitCode = exitCode;
  }
}

/** A server of Ganeti has no request for what was asked. */
export class ServerLacks extends Ending {}

/** `--submit`: the job goes on alone, the command is done. */
export class JobSubmitted extends Error {
  override readonly name = "JobSubmitted";
  readonly id: number;

  constructor(id: number) {
    super(`JobID: ${id}`);
    this.id = id;
  }
}

/** Ctrl-C: the jobs that are under way go on. */
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

/** The command line cannot be read: told after the usage of the command, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The server does not answer, or not as it should. */
export class ConnectionFailure extends Error {
  override readonly name = "ConnectionFailure";
  /** It may answer if it is asked again: its connection was cut, or it is being started. */
  readonly passing: boolean;

  constructor(
    text: string,
    { passing = false, ...options }: ErrorOptions & { passing?: boolean } = {},
  ) {
    super(text, options);
    this.passing = passing;
  }
}

/** A text that should be a filter is none. */
export class FilterTextFailure extends Error {
  override readonly name = "FilterTextFailure";
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[]) {
    super(message);
    this.details = details;
  }
}
