/** What rules and limits look at in a job. */
import type { JobId, Json } from "@ganeti-ts/protocol";

/**
 * The part of a job that is judged. What was worked out about a job is kept for as long as the very
 * same `inputs` array is given again, so it must never be changed in place.
 */
export interface FilterableJob {
  readonly id: JobId;
  /** Of the job as it stands now; lower starts sooner. */
  readonly priority: number;
  /** Its opcodes as they were submitted, finished ones too; what is no opcode object is passed over. */
  readonly inputs: readonly Json[];
}
