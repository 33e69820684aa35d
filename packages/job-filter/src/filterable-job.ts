/** The part of a job that rules and limits evaluate. */
import type { JobId, Json } from "@ganeti-ts/protocol";

/**
 * Results about a job are cached by the identity of its `inputs` array, so it must never be changed in place.
 */
export interface FilterableJob {
  readonly id: JobId;
  /** Present priority of the job; lower numbers start first. */
  readonly priority: number;
  /** Its opcodes as submitted, including finished ones; entries that are not objects are skipped. */
  readonly inputs: readonly Json[];
}
