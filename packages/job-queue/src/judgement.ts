/** What rules and buckets say of one job, looked up once and kept until the rules change. */
import type { FilterRule, JobId } from "@ganeti-ts/protocol";
import { applyingRule, type Bucket, bucketsOf } from "./filter-seam.js";
import type { Entry } from "./image.js";

export interface Judgement {
  /** The list of rules that it holds for, compared by identity. */
  readonly rules: readonly FilterRule[];
  /** The rule that applies; undefined: none, the job is accepted. */
  readonly rule: FilterRule | undefined;
  readonly buckets: readonly Bucket[];
}

/** O(rules) for the first time after a change of rules, O(1) afterwards. */
export function judge(entry: Entry, rules: readonly FilterRule[]): Judgement {
  const known = entry.judgement;
  if (known?.rules === rules) return known;
  const rule = applyingRule(entry.job, rules);
  entry.judgement = { rules, rule, buckets: known?.buckets ?? bucketsOf(entry.job) };
  return entry.judgement;
}

/** Rules look at ids and inputs alone, so a job that moves on is judged as before. */
export function judgementAfter(before: Entry | undefined, after: Entry): void {
  if (before?.judgement !== undefined) after.judgement = before.judgement;
}

/** How many started jobs each rule and each bucket has. */
export class Usage {
  readonly rules = new Map<string, number>();
  readonly buckets = new Map<string, number>();

  /** Counts the claimed jobs by the rules as they are now: O(claimed). */
  static of(entries: Iterable<Entry>, rules: readonly FilterRule[]): Usage {
    const usage = new Usage();
    for (const entry of entries) usage.add(judge(entry, rules));
    return usage;
  }

  add({ rule, buckets }: Judgement): void {
    if (rule !== undefined) raise(this.rules, rule.uuid);
    for (const { name } of buckets) raise(this.buckets, name);
  }
}

const raise = (counts: Map<string, number>, key: string) =>
  counts.set(key, (counts.get(key) ?? 0) + 1);

/** What keeps a job from starting now. */
export type Hindrance =
  | { readonly kind: "dependency"; readonly jobId: JobId }
  | { readonly kind: "rule"; readonly rule: FilterRule }
  | { readonly kind: "bucket"; readonly bucket: Bucket };

/** Undefined: nothing but free slots. */
export function hindranceOf({ rule, buckets }: Judgement, usage: Usage): Hindrance | undefined {
  if (rule !== undefined && holds(rule, usage)) return { kind: "rule", rule };
  const bucket = buckets.find(({ name, limit }) => (usage.buckets.get(name) ?? 0) >= limit);
  return bucket === undefined ? undefined : { kind: "bucket", bucket };
}

function holds({ uuid, action }: FilterRule, usage: Usage): boolean {
  if (typeof action === "string") return action === "PAUSE" || action === "REJECT";
  return (usage.rules.get(uuid) ?? 0) >= action[1];
}
