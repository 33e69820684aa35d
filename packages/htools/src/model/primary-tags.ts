/** Tags of an instance as counted on the node of its primary: exclusion and locations. */
import type { Cluster, Counts } from "./cluster.js";
import type { Instance } from "./instance.js";
import { field, rowLength } from "./node-columns.js";

/** Adds (`sign` 1) or removes (`sign` -1) the exclusion tags and locations of a primary. */
export function countPrimaryTags(
  cluster: Cluster,
  instance: Instance,
  node: number,
  locationScore: number,
  sign: 1 | -1,
): void {
  const change = sign > 0 ? counted : uncounted;
  const { exclusionTags } = instance;
  if (exclusionTags.length > 0) {
    cluster.exclusionTags[node] = change(cluster.exclusionTags[node] as Counts, exclusionTags);
    noteTagScore(cluster, node);
  }
  if (instance.forthcoming) return;
  if (locationScore > 0 || instance.desiredLocations.length > 0) {
    changeLocationScore(cluster, instance, node, locationScore, sign);
  }
  const pairs = locationPairs(cluster, instance, node);
  if (pairs.length > 0) {
    cluster.locationPairs[node] = change(cluster.locationPairs[node] as Counts, pairs);
  }
}

function noteTagScore(cluster: Cluster, node: number): void {
  let score = 0;
  for (const count of (cluster.exclusionTags[node] as Counts).values()) score += count - 1;
  cluster.rows[node * rowLength + field.tagScore] = score;
}

function changeLocationScore(
  cluster: Cluster,
  instance: Instance,
  node: number,
  locationScore: number,
  sign: 1 | -1,
): void {
  const at = node * rowLength + field.locationScore;
  const missed = desiredLocationsMissed(cluster, instance, node);
  cluster.rows[at] = (cluster.rows[at] as number) + sign * (locationScore + missed);
}

/** Number of locations the instance desires for its primary that `node` lacks. */
export function desiredLocationsMissed(cluster: Cluster, instance: Instance, node: number): number {
  if (instance.desiredLocations.length === 0) return 0;
  const locations = cluster.facts.locations[node] as readonly string[];
  return instance.desiredLocations.filter((tag) => !locations.includes(tag)).length;
}

function locationPairs(cluster: Cluster, instance: Instance, node: number): string[] {
  if (instance.exclusionTags.length === 0) return [];
  const locations = cluster.facts.locations[node] as readonly string[];
  return locations.flatMap((location) =>
    instance.exclusionTags.map((tag) => `${location}\n${tag}`),
  );
}

function counted(counts: Counts, keys: readonly string[]): Counts {
  const next = new Map(counts);
  for (const key of keys) next.set(key, (next.get(key) ?? 0) + 1);
  return next;
}

function uncounted(counts: Counts, keys: readonly string[]): Counts {
  const next = new Map(counts);
  for (const key of keys) {
    const count = next.get(key) ?? 0;
    if (count > 1) next.set(key, count - 1);
    else next.delete(key);
  }
  return next;
}
