/** Refusal of `jobid` predicates that no job can satisfy, because a part of them cannot be judged. */
import { type Filter, FilterError, type FilterLeaf } from "@ganeti-ts/query";

/**
 * Refuses a leaf without a verdict of `jobIdLeaf`: a field other than `id`, an operator other than a
 * comparison, or a text other than `watermark`. Ganeti stores such rules, and they never match. Cost: the
 * size of the filter.
 *
 * @throws FilterError `wrong_filter`
 */
export function refuseUnjudgeable(filter: Filter): void {
  switch (filter.kind) {
    case "all":
      return;
    case "and":
    case "or":
      for (const part of filter.parts) refuseUnjudgeable(part);
      return;
    case "not":
      refuseUnjudgeable(filter.part);
      return;
    default: {
      const fault = leafFault(filter);
      if (fault !== undefined) {
        throw new FilterError("wrong_filter", `Invalid 'jobid' predicate: ${fault}`);
      }
    }
  }
}

function leafFault(leaf: FilterLeaf): string | undefined {
  if (leaf.field !== "id") return `unknown field '${leaf.field}', only 'id' can be compared`;
  if (leaf.kind !== "compare") return `'id' can only be compared by ==, !=, <, <=, > and >=`;
  if (typeof leaf.value !== "string" || leaf.value === "watermark") return undefined;
  return `'id' is compared with '${leaf.value}', which is neither a number nor 'watermark'`;
}
