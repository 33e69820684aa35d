/** Compilation of a filter to a function: and, or, not over the verdicts of leaves. */
import type { Filter, FilterLeaf } from "./filter.js";

/** `undefined` if there is no verdict: then the whole expression has none. */
export type Verdict = boolean | undefined;

/** A filter as a function of an item. */
export type Judge<Item> = (item: Item) => Verdict;

/**
 * The filter as a function of an item. `leafJudge` is called once per leaf, immediately; its results are
 * called at most once per item and leaf, from left to right: `&` stops at the first verdict that is not true,
 * `|` at the first that is not false. Without operands `&` is true and `|` is false.
 */
export function filterJudge<Item>(
  filter: Filter,
  leafJudge: (leaf: FilterLeaf) => Judge<Item>,
): Judge<Item> {
  switch (filter.kind) {
    case "all":
      return () => true;
    case "and":
    case "or": {
      const parts = filter.parts.map((part) => filterJudge(part, leafJudge));
      return firstUnlike(parts, filter.kind === "and");
    }
    case "not": {
      const judge = filterJudge(filter.part, leafJudge);
      return (item) => {
        const verdict = judge(item);
        return verdict === undefined ? undefined : !verdict;
      };
    }
    default:
      return leafJudge(filter);
  }
}

/** The first verdict that differs from `usual`, or `usual`. */
function firstUnlike<Item>(parts: readonly Judge<Item>[], usual: boolean): Judge<Item> {
  if (parts.length === 1) return parts[0] as Judge<Item>;
  return (item) => {
    for (const judge of parts) {
      const verdict = judge(item);
      if (verdict !== usual) return verdict;
    }
    return usual;
  };
}
