/** The parts of `@ganeti-ts/job-filter` that the queue uses, in the queue's terms. */
import type { FilterRule, Job } from "@ganeti-ts/protocol";

/** An ad-hoc rate limit: at most `limit` claimed jobs share the reason text `name`. */
export interface Bucket {
  readonly name: string;
  readonly limit: number;
}
export function applyingRule(_job: Job, _rules: readonly FilterRule[]): FilterRule | undefined {
  return undefined;
}
export function bucketsOf(_job: Job): readonly Bucket[] {
  return [];
}
