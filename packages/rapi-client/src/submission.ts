/** Options of every submitted job. */

import type { Dependency, SubmitPriority } from "@ganeti-ts/protocol";
import type { Query } from "./caller.js";

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

/** Keys of the body, and the query, for these options. */
export function submitted(
  parameters: object,
  { reason, comment, priority, depends, dryRun, signal }: Submission,
  query: Query = {},
): { body: object; query: Query; signal: AbortSignal | undefined } {
  return {
    body: {
      ...parameters,
      ...(comment === undefined ? {} : { comment }),
      ...(priority === undefined ? {} : { priority }),
      ...(depends === undefined ? {} : { depends }),
    },
    query: { ...query, reason, "dry-run": dryRun ? 1 : undefined },
    signal,
  };
}
