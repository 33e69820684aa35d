/** Narrowing of a filter by indexes, so that few items have to be judged. */
import type { FieldIndex, IndexedLeaf, Narrowed } from "./field-index.js";
import type { Filter } from "./filter.js";

/** Gives the index for a leaf; undefined if its field has none. */
type IndexFinder = (leaf: IndexedLeaf) => FieldIndex | undefined;

/**
 * Items that may match the filter, and all those whose judging may fail before another item's; undefined if that may
 * be all. Judging only these gives the same items, and the same failure if there is one. O(found).
 */
export function narrowed(filter: Filter, indexOf: IndexFinder): ReadonlySet<string> | undefined {
  return narrow(filter, indexOf)?.ids;
}

function narrow(filter: Filter, indexOf: IndexFinder): Narrowed | undefined {
  switch (filter.kind) {
    case "compare":
      return filter.comparison === "==" ? indexOf(filter)?.narrow(filter.value) : undefined;
    case "contains":
      return indexOf(filter)?.narrow(filter.value);
    case "and":
      return smallestOf(filter.parts, indexOf);
    case "or":
      return unionOf(filter.parts, indexOf);
    default:
      return undefined;
  }
}

/** Parts are judged from left to right, so a part that may fail must see every item that the parts before it let through. */
function smallestOf(parts: readonly Filter[], indexOf: IndexFinder): Narrowed | undefined {
  let smallest: Narrowed | undefined;
  for (const part of parts) {
    const one = narrow(part, indexOf);
    if (one !== undefined && !(smallest && smallest.ids.size <= one.ids.size)) smallest = one;
    if (one === undefined || one.mayFail) return smallest && { ids: smallest.ids, mayFail: true };
  }
  return smallest;
}

function unionOf(parts: readonly Filter[], indexOf: IndexFinder): Narrowed | undefined {
  const ids = new Set<string>();
  let mayFail = false;
  for (const part of parts) {
    const one = narrow(part, indexOf);
    if (one === undefined) return undefined;
    for (const id of one.ids) ids.add(id);
    mayFail ||= one.mayFail;
  }
  return { ids, mayFail };
}
