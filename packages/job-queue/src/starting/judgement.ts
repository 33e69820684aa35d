/** Judgement of a job: rules and ad-hoc limits that prevent it from starting now. */
import { type Bucket, jobFacts, type RuleChain } from "@ganeti-ts/job-filter";
import type { FilterRule, JobId } from "@ganeti-ts/protocol";
import type { Entry } from "../steps/entry.js";
import type { Holder, WaitingJobs } from "./waiting.js";

/** The part of the image needed for judging a job: other jobs, and rules. */
export interface KnownJobs {
  readonly rules: readonly FilterRule[];
  readonly chain: RuleChain;
  readonly claimed: ReadonlySet<JobId>;
  readonly waiting: WaitingJobs;
  get(id: JobId): Entry | undefined;
  ids(): IterableIterator<JobId>;
}

/** The rule that applies to a job: O(rules) the first time after a change, O(1) afterwards. */
export const applyingRule = (
  entry: Pick<Entry, "job" | "inputs">,
  { chain }: Pick<KnownJobs, "chain">,
): FilterRule | undefined =>
  chain.rules.length === 0
    ? undefined
    : chain.applying({ id: entry.job.id, priority: 0, inputs: entry.inputs });

/** Rate limits in the reasons of a job. */
export const bucketsOf = (entry: Entry): readonly Bucket[] =>
  entry.isPlain ? [] : jobFacts(entry.inputs).buckets;

/** Opens the lines of the rule and the buckets of a job, whose slot may be free now. */
export function openLinesOf(entry: Entry, image: Pick<KnownJobs, "chain" | "waiting">): void {
  if (!image.waiting.hasClosable) return;
  const rule = applyingRule(entry, image);
  if (rule !== undefined) image.waiting.open({ kind: "rule", rule });
  for (const { text } of bucketsOf(entry)) {
    image.waiting.open({ kind: "bucket", text });
  }
}

/** Cost of examining a job, in units of a job with one opcode and up to 16 rules. */
export const lookCost = ({ inputs }: Entry, { rules }: KnownJobs): number =>
  inputs.length * (1 + Math.floor(rules.length / 16));

/** Number of claimed jobs of each rule and each bucket. */
export class Usage {
  readonly #image: KnownJobs;
  readonly #rules = new Map<string, number>();
  readonly #buckets = new Map<string, number>();
  #isCounted = false;

  /**
   * Counts the claimed jobs by the present rules, O(claimed), when a job with a rule or a bucket is first asked
   * for: the jobs of the image must not change while this is used.
   */
  constructor(image: KnownJobs) {
    this.#image = image;
  }

  /** Counts a job that is about to be claimed. */
  add(rule: FilterRule | undefined, buckets: readonly Bucket[]): void {
    if (rule === undefined && buckets.length === 0) return;
    this.#countClaimed();
    this.#raise(rule, buckets);
  }

  /**
   * The first rule or bucket without a free slot; undefined if only the queue's own limit could hold such a
   * job.
   */
  fullFor(rule: FilterRule | undefined, buckets: readonly Bucket[]): Holder | undefined {
    if (rule === undefined && buckets.length === 0) return undefined;
    this.#countClaimed();
    const action = rule?.action;
    if (rule !== undefined) {
      const limit = typeof action === "object" ? action[1] : Infinity;
      const isFull = (this.#rules.get(rule.uuid) ?? 0) >= limit;
      if (isFull || action === "PAUSE" || action === "REJECT") return { kind: "rule", rule };
    }
    const full = buckets.find(({ text, limit }) => (this.#buckets.get(text) ?? 0) >= limit);
    return full && { kind: "bucket", text: full.text };
  }

  #countClaimed(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    for (const id of this.#image.claimed) {
      const entry = this.#image.get(id) as Entry;
      this.#raise(applyingRule(entry, this.#image), bucketsOf(entry));
    }
  }

  #raise(rule: FilterRule | undefined, buckets: readonly Bucket[]): void {
    if (rule !== undefined) raise(this.#rules, rule.uuid);
    for (const { text } of buckets) raise(this.#buckets, text);
  }
}

const raise = (counts: Map<string, number>, key: string) =>
  counts.set(key, (counts.get(key) ?? 0) + 1);
