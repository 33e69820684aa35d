/** Comparisons of a job's number. */
import type { JobId } from "@ganeti-ts/protocol";
import { type FilterLeaf, type Judge, orderFits } from "@ganeti-ts/query";

/**
 * | leaf | verdict |
 * |---|---|
 * | `id` against a number | as numbers compare |
 * | `id` against `"watermark"` | against the rule's watermark |
 * | anything else | none |
 */
export function jobIdLeaf(leaf: FilterLeaf, watermark: JobId): Judge<JobId> {
  if (leaf.kind !== "compare" || leaf.field !== "id") return () => undefined;
  const wanted = leaf.value === "watermark" ? watermark : leaf.value;
  if (typeof wanted === "string") return () => undefined;
  return (id) => orderFits(leaf.comparison, id < wanted ? -1 : Number(id > wanted));
}
