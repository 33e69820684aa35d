/** Necessary conditions for a rule to match a job: cheap to check before the predicates themselves. */
import type { FilterPredicate, JobId } from "@ganeti-ts/protocol";
import type { Filter, FilterLeaf } from "@ganeti-ts/query";
import type { JobView } from "./job-view.js";

export type Need =
  /** Some opcode has this value at this position of its row. */
  | { readonly kind: "value"; readonly place: number; readonly value: string }
  /** Some source or reason contains this text. */
  | { readonly kind: "text"; readonly text: string }
  /** Its number is at least `from` and at most `to`. */
  | { readonly kind: "id"; readonly from: number; readonly to: number };

/** A necessary condition of a predicate; not necessarily the strongest, and undefined if none is simple. */
export function needOf(
  name: FilterPredicate[0],
  filter: Filter,
  watermark: JobId,
  view: JobView,
): Need | undefined {
  const leaves = needed(filter);
  switch (name) {
    case "jobid":
      return idNeed(leaves, watermark);
    case "opcode":
      return valueNeed(leaves, view);
    case "reason":
      return textNeed(leaves);
  }
}

/** Leaves that must be true for the filter to be true. */
function needed(filter: Filter): FilterLeaf[] {
  switch (filter.kind) {
    case "and":
      return filter.parts.flatMap(needed);
    case "all":
    case "or":
    case "not":
      return [];
    default:
      return [filter];
  }
}

/** The opcode's name has the lowest preference, because it is shared by many opcodes. */
function valueNeed(leaves: readonly FilterLeaf[], view: JobView): Need | undefined {
  const equal = leaves.flatMap((leaf) => {
    const value = textOf(leaf);
    return value === undefined ? [] : [{ field: leaf.field, value }];
  });
  const best = equal.find(({ field }) => field !== "OP_ID") ?? equal[0];
  return best && { kind: "value", place: view.placeOf(best.field), value: best.value };
}

/** The longest text is the rarest. */
function textNeed(leaves: readonly FilterLeaf[]): Need | undefined {
  let text = "";
  for (const leaf of leaves) {
    const one = leaf.kind === "matches" ? leaf.pattern.required : (textOf(leaf) ?? "");
    if (one.length > text.length) text = one;
  }
  return text === "" ? undefined : { kind: "text", text };
}

function idNeed(leaves: readonly FilterLeaf[], watermark: JobId): Need | undefined {
  let from = -Infinity;
  let to = Infinity;
  for (const leaf of leaves) {
    if (leaf.kind !== "compare" || leaf.field !== "id") continue;
    const bound = leaf.value === "watermark" ? watermark : leaf.value;
    if (typeof bound !== "number") continue;
    // Bounds are inclusive: the condition may be weaker than the predicate.
    if (leaf.comparison !== "<" && leaf.comparison !== "<=") from = Math.max(from, bound);
    if (leaf.comparison !== ">" && leaf.comparison !== ">=") to = Math.min(to, bound);
  }
  return from === -Infinity && to === Infinity ? undefined : { kind: "id", from, to };
}

/** The text that a field must equal, if there is one. */
function textOf(leaf: FilterLeaf): string | undefined {
  if (leaf.kind !== "compare" || leaf.comparison !== "==") return undefined;
  return typeof leaf.value === "string" ? leaf.value : undefined;
}
