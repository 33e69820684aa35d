/** Translation of query errors to refusals of the operation. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { FilterError } from "@ganeti-ts/query";

/** Errors of filters become refusals with Ganeti's code; other errors stay unchanged. */
export function queryFault(error: unknown): unknown {
  if (!(error instanceof FilterError)) return error;
  const code = error.code === "unknown_entity" ? "unknown_entity" : "wrong_input";
  return new PrereqError(code, error.message, { cause: error });
}
