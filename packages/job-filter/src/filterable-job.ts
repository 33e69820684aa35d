/** What rules and limits look at in a job. */
import type { JobId } from "@ganeti-ts/protocol";

/** An opcode as it is stored: `OP_ID`, its parameters, and the fields common to all opcodes. */
export type StoredOpcode = Readonly<Record<string, unknown>>;

/**
 * The part of a job that is judged. What was worked out about a job is kept for as long as the very
 * same `opcodes` array is given again, so it must never be changed in place.
 */
export interface FilterableJob {
  readonly id: JobId;
  /** Of the job as it stands now; lower starts sooner. */
  readonly priority: number;
  /** All of them, finished ones too; those that could not be read are left out. */
  readonly opcodes: readonly StoredOpcode[];
}
