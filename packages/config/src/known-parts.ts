/** Parts of the cluster object that a change leaves as they are. */
import { type ClusterObject, type Json, sameJson } from "@ganeti-ts/protocol";

/**
 * The cluster as in `after`, with the values of `before` where both are equal. Stored forms are parsed from text, so that
 * all their values are new; readers that keep something for each part (indexes, rendered lists) compare by identity.
 * O(size of the two).
 */
export function withKnownParts(before: ClusterObject, after: ClusterObject): ClusterObject {
  const known = before as unknown as Readonly<Record<string, Json | undefined>>;
  const parts = { ...after } as unknown as Record<string, Json | undefined>;
  for (const key in parts) {
    const [old, value] = [known[key], parts[key]];
    if (old !== undefined && value !== undefined && sameJson(old, value)) parts[key] = old;
  }
  return parts as unknown as ClusterObject;
}
