/** A job that has not ended, as one worker knows it. */
import type { Job, Json } from "@ganeti-ts/protocol";
import type { Claim } from "./store.js";

export interface Entry {
  readonly job: Job;
  readonly claim: Claim | null;
  /** False: the job has moved on elsewhere; only the inputs of its opcodes still hold. */
  readonly fresh: boolean;
  /** The opcodes as submitted: the same array as long as the job is known, for rules look at it alone. */
  readonly inputs: readonly Json[];
}

/** `known` is what was known of the job before. */
export const entryOf = (
  job: Job,
  claim: Claim | null,
  known: Entry | undefined,
  fresh = true,
): Entry => ({ job, claim, fresh, inputs: known?.inputs ?? job.opcodes.map(({ input }) => input) });
