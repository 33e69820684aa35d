/** Parts of the cluster object that a change leaves as they are. */
import { type ClusterObject, type Json, sameJson } from "@ganeti-ts/protocol";

/**
 * The cluster as in `after`, with the values of `before` where both are equal. Stored forms are parsed from text, so that
 * all their values are new; readers that keep something for each part (indexes, rendered lists) compare by identity.
 * O(size of the two).
 */
export function withKnownParts(before: ClusterObject, after: ClusterObject): ClusterObject {
  const known = before as unknown as Readonly<Record<string, Json | undefined>>;
  const parts = Object.entries(after as unknown as Readonly<Record<string, Json | undefined>>);
  return Object.fromEntries(
    parts.map(([key, value]) => {
      const old = known[key];
      const isKnown = old !== undefined && value !== undefined && sameJson(old, value);
      return [key, isKnown ? old : value];
    }),
  ) as unknown as ClusterObject;
}
