/** What keeps one job from starting now, by rules and ad-hoc limits. */
import { type Bucket, jobFacts } from "@ganeti-ts/job-filter";
import type { FilterRule } from "@ganeti-ts/protocol";
import type { Entry, Image } from "./image.js";

/** The rule that applies to a job now: O(rules) the first time after a change, O(1) afterwards. */
export const applyingRule = (entry: Entry, { chain }: Image): FilterRule | undefined =>
  chain.applying({ id: entry.job.id, priority: 0, inputs: entry.inputs });

/** How many claimed jobs each rule and each bucket has. */
export class Usage {
  readonly #rules = new Map<string, number>();
  readonly #buckets = new Map<string, number>();

  /** Counts the claimed jobs by the rules as they are now: O(claimed). */
  constructor(image: Image) {
    for (const id of image.claimed) {
      const entry = image.get(id) as Entry;
      this.add(applyingRule(entry, image), jobFacts(entry.inputs).buckets);
    }
  }

  add(rule: FilterRule | undefined, buckets: readonly Bucket[]): void {
    if (rule !== undefined) raise(this.#rules, rule.uuid);
    for (const { text } of buckets) raise(this.#buckets, text);
  }

  /** Nothing but the limit of the queue could keep a job with this rule and these buckets. */
  hasRoom(rule: FilterRule | undefined, buckets: readonly Bucket[]): boolean {
    const action = rule?.action;
    if (action === "PAUSE" || action === "REJECT") return false;
    const limit = typeof action === "object" ? action[1] : Infinity;
    if (rule !== undefined && (this.#rules.get(rule.uuid) ?? 0) >= limit) return false;
    return buckets.every((bucket) => (this.#buckets.get(bucket.text) ?? 0) < bucket.limit);
  }
}

const raise = (counts: Map<string, number>, key: string) =>
  counts.set(key, (counts.get(key) ?? 0) + 1);
