/** Terms that the tags and locations of a target add to the score of a move. */
import type { Cluster, Counts } from "../../model/cluster.js";
import { desiredLocationsMissed } from "../../model/primary-tags.js";
import { at, weights } from "../../score/metrics.js";
import type { ColumnSet } from "./column-set.js";
import { kindAt, kindCount } from "./move-kinds.js";
import type { Victim } from "./victim.js";

export class TagTerms {
  /** Whether the victim has any such terms; otherwise `of` must not be called. */
  any = false;
  private readonly located: boolean;
  private readonly values: Float64Array;

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
  ) {
    this.located = cluster.facts.locations.some((tags) => tags.length > 0);
    this.values = new Float64Array(kindCount * columns.count);
  }

  of(kind: number, place: number): number {
    return this.values[kind * this.columns.count + place] as number;
  }

  begin(victim: Victim): void {
    const { instance, placement } = victim;
    const located = !instance.forthcoming && (this.located || instance.desiredLocations.length > 0);
    this.any = located || instance.exclusionTags.length > 0;
    if (!this.any) return;
    const { cluster, columns } = this;
    const { placeOf, count } = columns;
    // A node's own score counts only while it is online.
    const primaryCounts = located && (placeOf[placement.primary] as number) >= 0;
    const weight = weights[at.location] as number;
    for (const [place, node] of columns.nodes.entries()) {
      const tags = tagTerm(cluster, node, instance.exclusionTags);
      const missed = located ? desiredLocationsMissed(cluster, instance, node) : 0;
      const set = (kind: number, value: number) => {
        this.values[kind * count + place] = value;
      };
      if (!victim.isPair) {
        set(
          kindAt.failoverToAny,
          tags + weight * (missed + (located ? placement.locationScore : 0)),
        );
        continue;
      }
      const withPrimary = located ? cluster.sharedLocations(placement.primary, node) : 0;
      const withSecondary = located ? cluster.sharedLocations(placement.secondary, node) : 0;
      set(kindAt.replaceSecondary, primaryCounts ? weight * withPrimary : 0);
      set(kindAt.replaceAndFailover, tags + weight * (missed + withPrimary));
      set(kindAt.replacePrimary, tags + weight * (missed + withSecondary));
      set(kindAt.failoverAndReplace, weight * withSecondary);
    }
  }
}

/** Term of these exclusion tags on a node: every tag but the first of its kind counts. */
function tagTerm(cluster: Cluster, node: number, tags: readonly string[]): number {
  if (tags.length === 0) return 0;
  const present = cluster.exclusionTags[node] as Counts;
  const first = new Set(tags.filter((tag) => !present.has(tag)));
  return (weights[at.tags] as number) * (tags.length - first.size);
}
