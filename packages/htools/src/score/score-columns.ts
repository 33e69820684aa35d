/**
 * Score of a list of nodes while instances are placed one after the other: per component the values of all
 * online nodes, kept between placements.
 *
 * A placement changes two nodes, but the statistics are added up again, in the original's order, because
 * their last bits decide ties: O(nodes) per changed component. Many components have the same values on every
 * node (without planned instances, planned and real ones); these are added up once.
 */

import type { Cluster, Counts } from "../model/cluster.js";
import { squaresAround, sumOf } from "./column-sums.js";
import {
  at,
  componentCount,
  deviations,
  type Measures,
  measureNode,
  sums,
  weights,
} from "./metrics.js";
import type { ScoreStatistics } from "./score-board.js";
import { ScoreBoard } from "./score-board.js";

/** Components that often have the same values as an earlier one. */
const twins: readonly (readonly [component: number, earlier: number])[] = [
  [at.loadMemory, at.loadCpu],
  [at.loadNetwork, at.loadCpu],
  [at.memoryFreePlanned, at.memoryFree],
  [at.diskFreePlanned, at.diskFree],
  [at.vcpusPlanned, at.vcpus],
  [at.spindlesPlanned, at.spindles],
];
const earlierOf = new Map(twins);

export class ScoreColumns {
  /** Online nodes, in index order; columns have one value for each. */
  readonly nodes: readonly number[];
  readonly columns: readonly Float64Array[];
  readonly totals = new Float64Array(componentCount);
  readonly variances = new Float64Array(componentCount);
  /** The statistics themselves, unweighted. */
  readonly values: Float64Array;
  private readonly placeOf: Int32Array;
  private readonly stale = new Uint8Array(componentCount).fill(1);
  /** Per twin, the nodes on which it differs from the earlier component. */
  private readonly differing = new Map<number, Uint8Array>();
  private readonly differences = new Int32Array(componentCount);
  private readonly offlineNodes: readonly number[];
  private offlineStale = false;

  /** @param scored the nodes whose score it is, in index order */
  constructor(
    private cluster: Cluster,
    scored: readonly number[] = cluster.data.nodes.map((_, node) => node),
  ) {
    const { offline } = cluster.facts;
    this.nodes = scored.filter((node) => offline[node] === 0);
    this.offlineNodes = scored.filter((node) => offline[node] === 1);
    this.values = new ScoreBoard(cluster, scored).values.slice();
    this.placeOf = new Int32Array(cluster.nodeCount).fill(-1);
    for (const [place, node] of this.nodes.entries()) this.placeOf[node] = place;
    this.columns = Array.from({ length: componentCount }, () => new Float64Array(this.count));
    for (const [component] of twins) this.differing.set(component, new Uint8Array(this.count));
    this.refresh(this.nodes);
    this.settle();
  }

  get count(): number {
    return this.nodes.length;
  }

  /** The component that has the same values as this one: itself, or an earlier one. */
  leaderOf(component: number): number {
    const earlier = earlierOf.get(component);
    return earlier === undefined || this.differences[component] !== 0 ? component : earlier;
  }

  /** The place of a node in the columns; -1 for nodes that are offline or not scored. */
  placeOfNode(node: number): number {
    return this.placeOf[node] as number;
  }

  /** Measures of a node, as of its last refresh. */
  measuresAt(place: number): Measures {
    return this.columns.map((column) => column[place] as number);
  }

  /**
   * Makes the columns those of a later state of the cluster, in which only these nodes differ, none of which has gone
   * offline or come back. O(components) each.
   */
  follow(cluster: Cluster, nodes: Iterable<number>): void {
    this.cluster = cluster;
    this.refresh(nodes);
    this.offlineStale = true;
    this.stale[at.locationPairs] = 1;
  }

  /** Updates the columns after changes of these nodes. */
  refresh(nodes: Iterable<number>): void {
    for (const node of nodes) {
      const place = this.placeOf[node] as number;
      if (place < 0) continue;
      const measured = measureNode(this.cluster, node);
      for (let i = 0; i < componentCount; i++) {
        const column = this.columns[i] as Float64Array;
        if (column[place] === measured[i]) continue;
        column[place] = measured[i] as number;
        this.stale[i] = 1;
      }
      for (const [component, earlier] of twins) {
        this.compare(component, place, measured[component] !== measured[earlier]);
      }
    }
  }

  private compare(component: number, place: number, differs: boolean): void {
    const differing = this.differing.get(component) as Uint8Array;
    const known = differing[place] as number;
    differing[place] = Number(differs);
    this.differences[component] = (this.differences[component] as number) + Number(differs) - known;
  }

  /** Recomputes outdated statistics. */
  settle(): void {
    for (const component of deviations) {
      if (this.stale[component] === 0) continue;
      this.stale[component] = 0;
      const leader = this.leaderOf(component);
      if (leader !== component) {
        this.totals[component] = this.totals[leader] as number;
        this.variances[component] = this.variances[leader] as number;
        this.values[component] = this.values[leader] as number;
        continue;
      }
      const column = this.columns[component] as Float64Array;
      const total = sumOf(column);
      const variance = squaresAround(column, total / column.length) / column.length;
      this.totals[component] = total;
      this.variances[component] = variance;
      this.values[component] = Math.sqrt(variance);
    }
    for (const component of sums) {
      if (this.stale[component] === 0) continue;
      this.stale[component] = 0;
      const total = sumOf(this.columns[component] as Float64Array);
      this.totals[component] = total;
      this.values[component] = total;
    }
    if (this.stale[at.locationPairs] === 1) this.settlePairs();
    if (this.offlineStale) this.settleOffline();
  }

  private settlePairs(): void {
    this.stale[at.locationPairs] = 0;
    const totals = new Map<string, number>();
    for (const node of this.nodes) {
      const pairs = this.cluster.locationPairs[node] as Counts;
      if (pairs.size === 0) continue;
      for (const [key, count] of pairs) totals.set(key, (totals.get(key) ?? 0) + count);
    }
    let value = 0;
    for (const count of totals.values()) value += count - 1;
    this.values[at.locationPairs] = value;
  }

  private settleOffline(): void {
    this.offlineStale = false;
    let [all, primaries] = [0, 0];
    for (const node of this.offlineNodes) {
      const measured = measureNode(this.cluster, node);
      all += measured[at.offlineAll] as number;
      primaries += measured[at.offlinePrimary] as number;
    }
    this.values[at.offlineAll] = all;
    this.values[at.offlinePrimary] = primaries;
  }

  /** Start values for the scores of pairs. */
  get scoreStatistics(): ScoreStatistics {
    return {
      count: this.count,
      totals: this.totals,
      variances: this.variances,
      values: this.values,
    };
  }

  /** False if a figure is NaN: then only the general algorithm is right. */
  get isRegular(): boolean {
    return (
      this.count > 0 && this.totals.every(Number.isFinite) && this.values.every(Number.isFinite)
    );
  }
}

/** Weights the statistics and adds them up in the order of the components. */
export function weighted(values: Float64Array): number {
  let score = 0;
  for (let i = 0; i < componentCount; i++) score += (weights[i] as number) * (values[i] as number);
  return score;
}

/**
 * Maximum rounding error of the root of a variance that is at least `low`.
 * @param size magnitude of the numbers added up
 */
export function rootError(low: number, size: number): number {
  const error = 2e-15 * size;
  return low > error ? error / Math.sqrt(low) : Math.sqrt(2 * error);
}
