/** Job that has not ended, as known to one worker. */
import type { Job, Json } from "@ganeti-ts/protocol";
import { jobPriorityOf } from "../jobs/job-status.js";
import { takenJob } from "../running/transitions.js";
import type { Claim, JobRow, Taken, UndecodedJob } from "../stores/store.js";

export interface Entry {
  readonly job: Job;
  readonly claim: Claim | null;
  /** False: the job has changed elsewhere; only the inputs of its opcodes are still valid. */
  readonly fresh: boolean;
  /** The opcodes as submitted: the same array as long as the job is known, because rules are cached by it. */
  readonly inputs: readonly Json[];
  /** Priority of an unclaimed job. */
  readonly priority: number;
  /** Whether its opcodes certainly have no dependencies and no rate limits in their reasons. */
  readonly isPlain: boolean;
}

/** `known` is the previous entry of the job. */
export const entryOf = (job: Job, claim: Claim | null, known: Entry | undefined): Entry => ({
  job,
  claim,
  fresh: true,
  inputs: known?.inputs ?? job.opcodes.map(({ input }) => input),
  priority: jobPriorityOf(job.opcodes),
  isPlain: known?.isPlain ?? false,
});

/** Entry of a job in the news; undefined if its opcodes are not known. */
export function entryOfNews(
  { job, undecoded, claim }: JobRow,
  known: Entry | undefined,
): Entry | undefined {
  if (undecoded !== undefined) return new UndecodedEntry(new Contents(undecoded), claim, true);
  if (job !== undefined) return entryOf(job, claim, known);
  if (known instanceof UndecodedEntry) return known.elsewhere(claim);
  return known && elsewhere(known, claim);
}

/** An entry whose job is not needed any more after a change by the worker with `claim`. */
function elsewhere({ job, inputs, priority, isPlain }: Entry, claim: Claim | null): Entry {
  return { job, inputs, priority, isPlain, claim, fresh: false };
}

/** Whether the worker with the claim `own` holds the job. */
export const isHeldBy = (entry: Entry | undefined, own: Claim): boolean =>
  entry?.claim?.worker === own.worker && entry.claim.fence === own.fence;

/** A job that is decoded when its opcodes are first needed. */
class UndecodedEntry implements Entry {
  readonly claim: Claim | null;
  readonly fresh: boolean;
  readonly #contents: Contents;

  constructor(contents: Contents, claim: Claim | null, fresh: boolean) {
    this.#contents = contents;
    this.claim = claim;
    this.fresh = fresh;
  }

  get job(): Job {
    return this.#contents.job;
  }

  get inputs(): readonly Json[] {
    return this.#contents.inputs;
  }

  get priority(): number {
    return this.#contents.priority;
  }

  get isPlain(): boolean {
    return this.#contents.isPlain;
  }

  /** After a change by the worker with `claim`. */
  elsewhere(claim: Claim | null): UndecodedEntry {
    return new UndecodedEntry(this.#contents, claim, false);
  }
}

/** A job that this worker has claimed: its new state is composed when it is run. */
export class TakenEntry implements Entry {
  readonly fresh = true;
  readonly claim: Claim;
  readonly taken: Taken;
  readonly #before: Entry;
  #job: Job | undefined;

  constructor(before: Entry, taken: Taken) {
    this.#before = before;
    this.taken = taken;
    this.claim = taken.claim;
  }

  get job(): Job {
    this.#job ??= takenJob(this.#before.job, this.taken);
    return this.#job;
  }

  get inputs(): readonly Json[] {
    return this.#before.inputs;
  }

  get priority(): number {
    return this.#before.priority;
  }

  get isPlain(): boolean {
    return this.#before.isPlain;
  }
}

/** Shared by the entries of a job, so that it is decoded once. */
class Contents {
  readonly priority: number;
  readonly isPlain: boolean;
  #undecoded: UndecodedJob | undefined;
  #job: Job | undefined;
  #inputs: readonly Json[] | undefined;

  constructor(undecoded: UndecodedJob) {
    this.priority = undecoded.priority;
    this.isPlain = undecoded.isPlain;
    this.#undecoded = undecoded;
  }

  get job(): Job {
    this.#job ??= (this.#undecoded as UndecodedJob).decoded();
    this.#undecoded = undefined;
    return this.#job;
  }

  get inputs(): readonly Json[] {
    this.#inputs ??= this.job.opcodes.map(({ input }) => input);
    return this.#inputs;
  }
}
