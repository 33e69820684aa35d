/**
 * Search for the best node for the next of many equal instances that need one node.
 *
 * Each candidate's score is estimated from the kept statistics; candidates that rounding could make the best
 * are added up as in the original. Cost: O(nodes x components) per placement.
 */

import { primaryMisfit } from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { at, deviations, measureNode, weights } from "../score/metrics.js";
import { RoleEffects } from "../score/role-effects.js";
import { changedVarianceBy } from "../score/running-score.js";
import { rootError, type ScoreColumns, weighted } from "../score/score-columns.js";
import type { CapacityScope } from "./scope.js";
import { changedDeviations } from "./tied-statistics.js";

export class SinglePlacer {
  private readonly effects: RoleEffects;
  /** Ascending. */
  private readonly candidates: readonly number[];
  private readonly places: readonly number[];
  private readonly estimates: Float64Array;
  private slack = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    scope: CapacityScope,
    private instance: Instance,
  ) {
    this.effects = new RoleEffects(columns.count);
    this.estimates = new Float64Array(columns.count);
    this.candidates = scope.groups.flat().sort((a, b) => a - b);
    this.places = this.candidates.map((node) => columns.placeOfNode(node));
    this.refresh(this.candidates);
  }

  /** Switches to instances like this one. */
  turnTo(instance: Instance): void {
    this.instance = instance;
    this.refresh(this.candidates);
  }

  /** Recomputes candidates that have changed; `columns` must be up to date. */
  refresh(nodes: readonly number[]): void {
    const { cluster, columns, effects, instance } = this;
    for (const node of nodes) {
      const place = columns.placeOfNode(node);
      effects.feasible[place] = 0;
      if (policyVerdict(cluster, instance, node) !== fits) continue;
      if (primaryMisfit(cluster, instance, node, false) !== fits) continue;
      const mark = cluster.mark();
      addPrimary(cluster, instance, -1, node, true, 0);
      effects.note(place, columns.measuresAt(place), measureNode(cluster, node));
      cluster.rollback(mark);
    }
  }

  /** Lowest score; among equals the later node. */
  place(): Placement | undefined {
    for (const placement of this.bestFirst()) return placement;
    return undefined;
  }

  /** All nodes that can take the instance: lowest score first, among equals the later. */
  *bestFirst(): Generator<Placement> {
    const feasible = this.places.filter((place) => this.effects.feasible[place] === 1);
    if (feasible.length === 0) return;
    this.columns.settle();
    this.estimate(feasible);
    const { estimates } = this;
    let left = feasible;
    while (left.length > 0) {
      let lowest = Number.POSITIVE_INFINITY;
      for (const place of left) lowest = Math.min(lowest, estimates[place] as number);
      let limit = this.reach(lowest);
      // A candidate near a near-best one may come before it.
      for (;;) {
        let highest = lowest;
        for (const place of left) {
          const estimate = estimates[place] as number;
          if (estimate <= limit && estimate > highest) highest = estimate;
        }
        const further = this.reach(highest);
        if (further === limit || highest === lowest) break;
        if (!left.some((place) => within(estimates, place, limit, further))) break;
        limit = further;
      }
      const near = left.filter((place) => (estimates[place] as number) <= limit);
      for (const place of this.inExactOrder(near)) yield this.placement(place);
      left = left.filter((place) => (estimates[place] as number) > limit);
    }
  }

  private placement(place: number): Placement {
    return { primary: this.columns.nodes[place] as number, secondary: -1, locationScore: 0 };
  }

  private reach(score: number): number {
    return score + 2 * this.slack + 1e-11 * Math.max(1, Math.abs(score));
  }

  private estimate(places: readonly number[]): void {
    const { columns, effects, estimates } = this;
    const { totals, variances, count } = columns;
    this.slack = 0;
    for (const place of places) {
      estimates[place] = (weights[at.n1] as number) * (effects.n1Shifts[place] as number);
    }
    for (const component of deviations) {
      if (columns.leaderOf(component) !== component) continue;
      const weight = this.weightOf(component);
      const shifts = effects.shifts[component] as Float64Array;
      const squares = effects.squares[component] as Float64Array;
      const total = totals[component] as number;
      const variance = variances[component] as number;
      let lowest = Number.POSITIVE_INFINITY;
      let largest = 0;
      for (let i = 0; i < places.length; i++) {
        const place = places[i] as number;
        const shift = shifts[place] as number;
        const square = squares[place] as number;
        const after = changedVarianceBy(variance, total, count, shift, square);
        largest = Math.max(largest, Math.abs(count * square), Math.abs(2 * total * shift));
        estimates[place] = (estimates[place] as number) + weight * Math.sqrt(after);
        if (after < lowest) lowest = after;
      }
      // One adds up from scratch what the other updates.
      const added = count * variance + (2 * largest) / (count * count);
      this.slack += weight * rootError(lowest, added);
    }
  }

  /** Weight of the component and of those with the same values. */
  private weightOf(component: number): number {
    let weight = 0;
    for (const other of deviations) {
      if (this.columns.leaderOf(other) === component) weight += weights[other] as number;
    }
    return weight;
  }

  private inExactOrder(places: readonly number[]): readonly number[] {
    if (places.length < 2) return places;
    const scores = this.exactScores(places);
    const order = places.map((_, i) => i);
    order.sort((a, b) => (scores[a] as number) - (scores[b] as number) || b - a);
    return order.map((i) => places[i] as number);
  }

  /** For places in ascending order. */
  private exactScores(places: readonly number[]): Float64Array {
    const { columns, effects } = this;
    const statistics = places.map(() => columns.values.slice());
    for (const component of deviations) {
      const leader = columns.leaderOf(component);
      if (leader !== component) {
        for (const values of statistics) values[component] = values[leader] as number;
        continue;
      }
      const column = columns.columns[component] as Float64Array;
      const after = effects.afters[component] as Float64Array;
      if (places.every((place) => column[place] === after[place])) continue;
      const deviationsAfter = changedDeviations(column, places, after);
      for (const [i, values] of statistics.entries()) {
        values[component] = deviationsAfter[i] as number;
      }
    }
    for (const [i, place] of places.entries()) {
      const values = statistics[i] as Float64Array;
      values[at.n1] = (values[at.n1] as number) + (effects.n1Shifts[place] as number);
    }
    return Float64Array.from(statistics, weighted);
  }
}

const within = (estimates: Float64Array, place: number, above: number, upTo: number): boolean =>
  (estimates[place] as number) > above && (estimates[place] as number) <= upTo;
