/** What cannot be queried, as an operation refuses it. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { FilterError } from "@ganeti-ts/query";

/** A refusal of whoever filters, with Ganeti's code; anything else as it is. */
export function queryFault(error: unknown): unknown {
  if (!(error instanceof FilterError)) return error;
  const code = error.code === "unknown_entity" ? "unknown_entity" : "wrong_input";
  return new PrereqError(code, error.message, { cause: error });
}
