/** The calls about jobs that Ganeti's htools make. Source: Ganeti, Luxi.hs. */
import {
  type JobId,
  type JobStatus,
  type Json,
  jobStatuses,
  plainValue,
  quoted,
  readJobId,
  renderJson,
} from "@ganeti-ts/protocol";
import { GanetiError } from "../ganeti-error.js";
import type { LuxiCall, LuxiResult } from "../message.js";

/** A job is a list of opcodes; they are sent as they are, with their keys in their order. */
export const submitManyJobs = (jobs: readonly (readonly Json[])[]): LuxiCall => ({
  method: "SubmitManyJobs",
  args: [jobs],
});

/**
 * The ids of the jobs.
 * @throws GanetiError `LuxiError` if one of them was not accepted; those before it are queued
 */
export function readSubmitted({ document, value }: LuxiResult): JobId[] {
  if (!document.isArray(value)) {
    throw luxiError(`Cannot parse response from Ganeti: Ok (${renderJson(document, value)})`);
  }
  return document.items(value).map((item) => {
    const entry = plainValue(document, item);
    if (Array.isArray(entry) && entry.length === 2) {
      if (entry[0] === true) return jobId(entry[1]);
      if (entry[0] === false && typeof entry[1] === "string") throw luxiError(entry[1]);
    }
    throw luxiError(`Unknown result from the master daemon: ${renderJson(document, item)}`);
  });
}

function jobId(value: unknown): JobId {
  const id = readJobId(value);
  if (id !== undefined) return id;
  if (typeof value === "string") throw luxiError(`parsing job id: cannot parse string '${value}'`);
  throw luxiError(`parsing job id: ${JSON.stringify(value)} is none`);
}

/** Call that asks for the statuses of jobs; `readJobStatuses` reads its answer. */
export const queryJobStatuses = (ids: readonly JobId[]): LuxiCall => ({
  method: "QueryJobs",
  args: [ids, ["status"]],
});

/** The status of each job asked about, in that order. @throws GanetiError `LuxiError` */
export function readJobStatuses({ document, value }: LuxiResult): JobStatus[] {
  const result = plainValue(document, value);
  if (!Array.isArray(result)) throw luxiError("Unable to read list");
  const rows = result.map((row: unknown) => {
    if (!Array.isArray(row)) throw luxiError("Unable to read list");
    return row.map(jobStatus);
  });
  return rows.map(([status]) => {
    if (status === undefined) throw luxiError("Missing job status field");
    return status;
  });
}

/** Call that asks for the status and the results of jobs; `readJobResults` reads its answer. */
export const queryJobResults = (ids: readonly JobId[]): LuxiCall => ({
  method: "QueryJobs",
  args: [ids, ["status", "opresult"]],
});

/** How a job stands, or ended. */
export interface JobOutcome {
  readonly status: JobStatus;
  /** One for each opcode; of an opcode that failed, its error. */
  readonly results: readonly Json[];
}

/** Status and results of each job asked about, in that order. @throws GanetiError `LuxiError` */
export function readJobResults({ document, value }: LuxiResult): JobOutcome[] {
  const result = plainValue(document, value);
  if (!Array.isArray(result)) throw luxiError("Unable to read list");
  return result.map((row: unknown) => {
    const [status, results] = Array.isArray(row) ? (row as unknown[]) : [];
    if (!Array.isArray(results)) throw luxiError("Missing job result field");
    return { status: jobStatus(status), results: results as Json[] };
  });
}

function jobStatus(value: unknown): JobStatus {
  if (typeof value !== "string") {
    throw luxiError("Can't parse value for 'JobStatus': Unable to read String");
  }
  const at = jobStatuses.indexOf(value as JobStatus);
  if (at < 0) throw luxiError(`Invalid string value for type JobStatus: ${quoted(value)}`);
  return jobStatuses[at] as JobStatus;
}

const luxiError = (text: string) => new GanetiError("LuxiError", [text]);
