/** What every job can be given when it is submitted. */

import type { Dependency, SubmitPriority } from "@ganeti-ts/protocol";
import type { Query } from "./caller.js";

/** Options of every call that submits a job. */
export interface Submission {
  /** Why; the first entry of the job's trail of reasons, from source `gnt:user`. */
  readonly reason?: string | undefined;
  readonly comment?: string | undefined;
  readonly priority?: SubmitPriority | undefined;
  /** Starts when these jobs have ended so; one that ends otherwise makes it fail. */
  readonly depends?: readonly Dependency[] | undefined;
  /** Only the checks. Not every resource takes it. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Keys of the body, and the query, that say so. */
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
