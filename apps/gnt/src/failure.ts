/** Failures of commands: the single place that words errors and chooses exit codes. */
import { isJsonObject, type Json, pythonLiteral, pythonText } from "@ganeti-ts/protocol";
import {
  ConnectionFailure,
  Ending,
  FilterTextFailure,
  GanetiError,
  Interrupted,
  JobSubmitted,
} from "./errors.js";

export interface Failure {
  readonly exitCode: number;
  /** Text for standard error, without a newline at the end; empty for no output. */
  readonly text: string;
}

/** Undefined for a bug of the program itself. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof GanetiError) return worded(error);
  if (error instanceof Ending) return { exitCode: error.exitCode, text: error.message };
  if (error instanceof JobSubmitted) return { exitCode: 0, text: error.message };
  if (error instanceof ConnectionFailure) return { exitCode: 1, text: error.message };
  if (error instanceof Interrupted) return { exitCode: 1, text: interruption(error) };
  if (error instanceof FilterTextFailure) {
    const text = `Error while parsing query filter: ${error.message}\n${error.details.join("\n")}`;
    return { exitCode: 1, text };
  }
  return undefined;
}

/** Text of the failure of one of several jobs. */
export const failureText = (error: unknown): string => {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  return failure.text;
};

function worded(error: GanetiError): Failure {
  const { className, args } = error;
  const exitCode = className === "ConfigurationError" ? 2 : 1;
  return { exitCode, text: (words[className] ?? unhandled)(args, messageOf(args)) };
}

type Words = (args: readonly Json[], message: string) => string;

const unhandled: Words = (_, message) => `Unhandled Ganeti error: ${message}`;

/** By Ganeti's error classes. Source: Ganeti, lib/cli.py, FormatError. */
const words: Readonly<Record<string, Words>> = {
  OpPrereqError: (args, message) => {
    const start = "Failure: prerequisites not met for this operation:\n";
    if (args.length !== 2) return start + message;
    const [text, code] = args.map(pythonText);
    return `${start}error type: ${code}, error details:\n${text}`;
  },
  OpExecError: (_, message) => `Failure: command execution error:\n${message}`,
  TagError: (_, message) => `Failure: invalid tag(s) given:\n${message}`,
  HooksAbort: hooksText,
  HooksFailure: (_, message) => `Failure: hooks general failure: ${message}`,
  ResolverError: ([host]) => `Failure: can't resolve hostname '${pythonText(host ?? null)}'`,
  JobQueueDrainError: () =>
    "Failure: the job queue is marked for drain and doesn't accept new requests",
  JobQueueFull: () =>
    "Failure: the job queue is full and doesn't accept new job submissions until old jobs are archived",
  TypeEnforcementError: (_, message) => `Parameter Error: ${message}`,
  ParameterError: (_, message) => `Failure: unknown/wrong parameter name '${message}'`,
  ConfigurationError: (_, message) => `Corrupt configuration file: ${message}\nAborting.`,
  JobLost: (_, message) => `Error checking job status: ${message}`,
  ProtocolError: (_, message) =>
    `Unhandled protocol error while talking to the master daemon:\n${message}`,
};

function hooksText([results]: readonly Json[]): string {
  const lines = (Array.isArray(results) ? results : []).map((result) => {
    const [node, script, output] = Array.isArray(result) ? result.map(pythonText) : [];
    const said = output ? `, output: ${output}` : " (no output)";
    return `  node: ${node}, script: ${script}${said}`;
  });
  return ["Failure: hooks execution failed:", ...lines].join("\n");
}

/** Python's `str` of an exception: a single argument as it is, several as a tuple. */
function messageOf(args: readonly Json[]): string {
  const [only] = args;
  if (args.length === 0) return "";
  if (args.length === 1) return pythonText(only as Json);
  return `(${args.map(pythonLiteral).join(", ")})`;
}

function interruption({ jobs, status }: Interrupted): string {
  const [first] = jobs;
  if (first === undefined) {
    return "Aborted. Note that if the operation created any jobs, they might have been submitted and will continue to run in the background.";
  }
  if (jobs.length === 1) return `Aborted. ${afterwards(first, status)}`;
  return (
    `Aborted. Jobs ${jobs.join(", ")} continue in the background: "gnt-job watch ${first}" follows the first,` +
    ` "gnt-job cancel ${jobs.join(" ")}" cancels those that have not started.`
  );
}

/**
 * Advice on a job that is no longer followed: its state, and the commands that the state allows.
 */
function afterwards(id: number, status: string | undefined): string {
  const follow = `"gnt-job watch ${id}" follows it`;
  switch (status) {
    case "queued":
    case "waiting":
      return (
        `Job ${id} has not started and stays in the queue: ${follow},` +
        ` "gnt-job why ${id}" says what it waits for, "gnt-job cancel ${id}" cancels it.`
      );
    case "running":
      return (
        `Job ${id} is running and continues in the background: ${follow}. A running job cannot be cancelled;` +
        ` "gnt-job cancel --kill --yes-do-it ${id}" ends it in the middle of its work.`
      );
    case "canceling":
      return `Job ${id} is being cancelled: ${follow}.`;
    default:
      return `Job ${id} continues in the background: ${follow}, "gnt-job cancel ${id}" cancels it unless it is running.`;
  }
}

/** Ganeti error in an opcode's result: `[class, arguments]`; undefined for other results. */
export function encodedError(result: Json | undefined): GanetiError | undefined {
  if (!Array.isArray(result) || result.length !== 2) return undefined;
  const [className, args] = result as Json[];
  if (typeof className !== "string" || !/^[A-Z]\w*$/.test(className)) return undefined;
  if (Array.isArray(args)) return new GanetiError(className, args);
  return isJsonObject(args) ? undefined : new GanetiError(className, [args ?? null]);
}
