/**
 * Search for the best pair of nodes for the next of many equal mirrored instances: the effects on each node are
 * kept between placements.
 *
 * Cost: O(nodes x components) per placement, O(shared pairs) for secondaries that share instances with the
 * primary.
 */

import type { Placement } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { PairFinder } from "../score/pair-finder.js";
import type { ScoreColumns } from "../score/score-columns.js";
import { PairEffects } from "./pair-effects.js";
import type { CapacityScope } from "./scope.js";

export class PairPlacer {
  private readonly effects: PairEffects;
  private readonly finder: PairFinder;

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    scope: CapacityScope,
    instance: Instance,
  ) {
    this.effects = new PairEffects(cluster, columns, scope, instance);
    this.finder = new PairFinder(cluster, columns, this.effects);
  }

  /** Recomputes candidates that have changed; `columns` must be up to date. */
  refresh(nodes: readonly number[]): void {
    this.effects.refresh(nodes);
  }

  /** Switches to instances like this one. */
  turnTo(instance: Instance): void {
    this.effects.turnTo(instance);
  }

  /** Lowest score; among equals the later primary, then the later secondary. */
  place(): Placement | undefined {
    const best = this.finder.find();
    if (best === undefined) return undefined;
    const primary = this.columns.nodes[best.primary] as number;
    const secondary = this.columns.nodes[best.secondary] as number;
    const locationScore = this.cluster.sharedLocations(primary, secondary);
    return { primary, secondary, locationScore };
  }
}
