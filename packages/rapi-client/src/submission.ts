/** Options of every submitted job. */
import { type Dependency, JobId, type SubmitPriority } from "@ganeti-ts/protocol";
import type { Caller, Method, Query } from "./caller.js";

/** Options of every call that submits a job. */
export interface Submission {
  /** Reason for the job; the first entry of its reason trail, with source `gnt:user`. */
  readonly reason?: string | undefined;
  readonly comment?: string | undefined;
  readonly priority?: SubmitPriority | undefined;
  /** Starts when these jobs have ended with the given statuses; fails if one ends otherwise. */
  readonly depends?: readonly Dependency[] | undefined;
  /** Runs only the checks. Not supported by every resource. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls that submit a job and return its id. */
export const submitter =
  (caller: Caller) =>
  (
    method: Method,
    path: string,
    parameters: object,
    { reason, comment, priority, depends, dryRun, signal }: Submission = {},
    query: Query = {},
  ): Promise<JobId> =>
    caller.call(method, path, JobId, {
      // Options that are undefined are left out of JSON.
      body: { ...parameters, comment, priority, depends },
      query: { ...query, reason, "dry-run": dryRun ? 1 : undefined },
      signal,
    });

/** A flag in a query; undefined leaves it out. */
export const numberOf = (flag: boolean | undefined): number | undefined =>
  flag === undefined ? undefined : Number(flag);
