/** Scheduling pass: jobs to start, jobs to cancel, and the causes that hold the rest. */
import type { FilterRule, JobId } from "@ganeti-ts/protocol";
import type { FilterableJob } from "./filterable-job.js";
import type { CausingRule, HoldCause } from "./hold-cause.js";
import { type Bucket, type JobFacts, jobFacts } from "./job-facts.js";
import type { RuleChain } from "./rule-chain.js";

/** Input of a scheduling pass. */
interface PassInput<Job extends FilterableJob> {
  /** Jobs neither finalized nor claimed, in any order; including jobs between two opcodes. */
  readonly queued: Iterable<Job>;
  /** Jobs claimed by a worker, whatever their status. */
  readonly claimed: Iterable<Job>;
  readonly chain: RuleChain;
  /** Maximum number of claimed jobs. */
  readonly runningMax: number;
}

/** Decisions of a scheduling pass. */
export interface PassResult<Job extends FilterableJob> {
  /** Queued jobs to which a REJECT rule applies, by id. */
  readonly cancel: readonly { readonly job: Job; readonly rule: FilterRule }[];
  /** In the order in which to start them: best priority first, then lowest id. */
  readonly start: readonly Job[];
  /** In the same order; all causes that held the job when its turn came, at least one. */
  readonly held: readonly { readonly job: Job; readonly causes: readonly HoldCause[] }[];
  /** Claimed jobs to which a PAUSE rule applies. */
  readonly pause: readonly { readonly job: Job; readonly rule: FilterRule }[];
}

/**
 * Computes the consequences of the queue's state, without changing it. A job starts if none of these holds
 * it: dependencies, its rule, a bucket, the limit of the queue; only a job that starts takes slots. Cost:
 * sorting the queue, and for new jobs or rules the evaluation of the rules once.
 */
export function pass<Job extends FilterableJob>(input: PassInput<Job>): PassResult<Job> {
  const { chain, runningMax } = input;
  const claimed = [...input.claimed];
  const queued = [...input.queued].sort((a, b) => a.priority - b.priority || a.id - b.id);
  const slots = new Slots(chain, claimed);
  const cancel: { job: Job; rule: FilterRule }[] = [];
  const candidates: Candidate<Job>[] = [];
  const unfinished = new Set(claimed.map(({ id }) => id));
  for (const job of queued) {
    const facts = jobFacts(job.inputs);
    const rule = chain.applying(job, facts);
    if (rule?.action === "REJECT") cancel.push({ job, rule });
    else {
      candidates.push({ job, facts, rule });
      unfinished.add(job.id);
    }
  }

  const start: Job[] = [];
  const held: { job: Job; causes: readonly HoldCause[] }[] = [];
  for (const { job, facts, rule } of candidates) {
    const { buckets, dependencies } = facts;
    const causes: HoldCause[] = [];
    // A job cannot wait for itself or later jobs; its runner reports such dependencies.
    const jobs = dependencies.filter((id) => id < job.id && unfinished.has(id));
    if (jobs.length > 0) causes.push({ kind: "dependency", jobs });
    if (rule?.action === "PAUSE") causes.push({ kind: "paused", rule: causing(rule) });
    slots.addFull(causes, rule, buckets);
    if (slots.claimedCount >= runningMax) causes.push(slots.runningLimit(runningMax));
    if (causes.length > 0) held.push({ job, causes });
    else {
      slots.take(job.id, rule, buckets);
      start.push(job);
    }
  }
  return {
    cancel: cancel.sort((a, b) => a.job.id - b.job.id),
    start,
    held,
    pause: paused(chain, claimed),
  };
}

interface Candidate<Job> {
  readonly job: Job;
  readonly facts: JobFacts;
  readonly rule: FilterRule | undefined;
}

function paused<Job extends FilterableJob>(chain: RuleChain, claimed: readonly Job[]) {
  return claimed.flatMap((job) => {
    const rule = chain.applying(job);
    return rule?.action === "PAUSE" ? [{ job, rule }] : [];
  });
}

function causing({ uuid, reason_trail }: FilterRule): CausingRule {
  return { uuid, reasonTrail: reason_trail };
}

/**
 * Occupied slots. Lists of members are shared with the returned causes: a full list never changes again in
 * the pass.
 */
class Slots {
  claimedCount = 0;
  readonly #byRule = new Map<FilterRule, JobId[]>();
  readonly #byBucket = new Map<string, JobId[]>();
  #runningLimit: HoldCause | undefined;

  constructor(chain: RuleChain, claimed: readonly FilterableJob[]) {
    for (const job of claimed) this.take(job.id, chain.applying(job), jobFacts(job.inputs).buckets);
  }

  take(id: JobId, rule: FilterRule | undefined, buckets: readonly Bucket[]): void {
    this.claimedCount++;
    if (rule !== undefined && rateLimitOf(rule) !== undefined) add(this.#byRule, rule, id);
    for (const { text } of buckets) add(this.#byBucket, text, id);
  }

  /** Adds the limits without a free slot to `causes`. */
  addFull(causes: HoldCause[], rule: FilterRule | undefined, buckets: readonly Bucket[]): void {
    const limit = rule && rateLimitOf(rule);
    if (rule !== undefined && limit !== undefined) {
      const members = this.#byRule.get(rule) ?? [];
      if (members.length >= limit) {
        causes.push({ kind: "rate_limit", rule: causing(rule), limit, members });
      }
    }
    for (const bucket of buckets) {
      const members = this.#byBucket.get(bucket.text) ?? [];
      if (members.length < bucket.limit) continue;
      causes.push({ kind: "bucket", bucket: bucket.text, limit: bucket.limit, members });
    }
  }

  /** One object for all jobs held by the limit of the queue. */
  runningLimit(limit: number): HoldCause {
    this.#runningLimit ??= { kind: "running_limit", limit, claimedCount: this.claimedCount };
    return this.#runningLimit;
  }
}

function rateLimitOf({ action }: FilterRule): number | undefined {
  return typeof action === "string" ? undefined : action[1];
}

function add<Key>(lists: Map<Key, JobId[]>, key: Key, id: JobId): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
}
