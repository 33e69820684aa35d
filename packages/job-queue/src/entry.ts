/** Job that has not ended, as known to one worker. */
import type { Job, Json } from "@ganeti-ts/protocol";
import type { Claim } from "./store.js";

export interface Entry {
  readonly job: Job;
  readonly claim: Claim | null;
  /** False: the job has changed elsewhere; only the inputs of its opcodes are still valid. */
  readonly fresh: boolean;
  /** The opcodes as submitted: the same array as long as the job is known, because rules are cached by it. */
  readonly inputs: readonly Json[];
}

/** `known` is the previous entry of the job. */
export const entryOf = (
  job: Job,
  claim: Claim | null,
  known: Entry | undefined,
  fresh = true,
): Entry => ({ job, claim, fresh, inputs: known?.inputs ?? job.opcodes.map(({ input }) => input) });

/** Whether the worker with the claim `own` holds the job. */
export const isHeldBy = (entry: Entry | undefined, own: Claim): boolean =>
  entry?.claim?.worker === own.worker && entry.claim.fence === own.fence;
