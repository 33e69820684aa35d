/** Comparisons of an entry of a reason trail. */
import { compareCodePoints } from "@ganeti-ts/protocol";
import { type FilterLeaf, type Judge, orderFits } from "@ganeti-ts/query";
import type { Reason } from "./job-facts.js";

/**
 * | leaf | `source`, `reason` | `timestamp` | other fields |
 * |---|---|---|---|
 * | `==` | equal to a string; never to a number | equal to a number; never to a string | none |
 * | `<`, `<=`, `>`, `>=` | against a string by code point, else none | against a number, else none | none |
 * | `=~` | is found | none | none |
 * | `?`, `=[]` | none | none | none |
 */
export function reasonLeaf(leaf: FilterLeaf): Judge<Reason> {
  const { field } = leaf;
  if (field === "source" || field === "reason") {
    if (leaf.kind === "matches") return (entry) => leaf.pattern.found(entry[field]);
    if (leaf.kind !== "compare") return () => undefined;
    const { comparison, value } = leaf;
    if (typeof value !== "string") return () => (comparison === "==" ? false : undefined);
    if (comparison === "==") return (entry) => entry[field] === value;
    return (entry) => orderFits(comparison, compareCodePoints(entry[field], value));
  }
  if (field !== "timestamp" || leaf.kind !== "compare") return () => undefined;
  const { comparison, value } = leaf;
  if (typeof value === "string") return () => (comparison === "==" ? false : undefined);
  return ({ timestamp }) =>
    orderFits(comparison, timestamp < value ? -1 : Number(timestamp > value));
}
