/** Exact score of a pair of nodes as the next place of a mirrored instance. */
import type { Cluster } from "../model/cluster.js";
import { at, componentCount, deviations } from "./metrics.js";
import type { PairFigures, PeerReservation } from "./pair-figures.js";
import { changedVarianceBy } from "./running-score.js";
import { type ScoreColumns, weighted } from "./score-columns.js";

export class PairScores {
  private readonly statistics = new Float64Array(componentCount);

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    private readonly effects: PairFigures,
    /** Whether any nodes may share locations. */
    readonly located: boolean,
  ) {}

  /**
   * Uses the same operations in the same order as `scoreAfter`.
   * @param leaders by component, the component that has the same values
   * @param known the reservation, if the secondary already reserves memory for the primary
   */
  of(p: number, s: number, leaders: readonly number[], known?: PeerReservation): number {
    const { columns, statistics } = this;
    const { asPrimary, asSecondary } = this.effects;
    const { totals, variances, values, count } = columns;
    statistics.set(values);
    for (let i = 0; i < deviations.length; i++) {
      const component = deviations[i] as number;
      const leader = leaders[component] as number;
      if (leader !== component) {
        statistics[component] = statistics[leader] as number;
        continue;
      }
      const total = totals[component] as number;
      const shift = (asPrimary.shifts[component] as Float64Array)[p] as number;
      const square = (asPrimary.squares[component] as Float64Array)[p] as number;
      const between = changedVarianceBy(
        variances[component] as number,
        total,
        count,
        shift,
        square,
      );
      const special = component === at.reserved ? known : undefined;
      const nextShift = special
        ? special.shift
        : ((asSecondary.shifts[component] as Float64Array)[s] as number);
      const nextSquare = special
        ? special.square
        : ((asSecondary.squares[component] as Float64Array)[s] as number);
      statistics[component] = Math.sqrt(
        changedVarianceBy(between, total + shift, count, nextShift, nextSquare),
      );
    }
    statistics[at.n1] =
      (values[at.n1] as number) +
      (asPrimary.n1Shifts[p] as number) +
      (known ? known.n1Shift : (asSecondary.n1Shifts[s] as number));
    statistics[at.reservedTotal] =
      (values[at.reservedTotal] as number) +
      (asPrimary.reservedShifts[p] as number) +
      (known ? known.reservedShift : (asSecondary.reservedShifts[s] as number));
    if (this.located) {
      const { nodes } = columns;
      const shared = this.cluster.sharedLocations(nodes[p] as number, nodes[s] as number);
      statistics[at.location] = (values[at.location] as number) + shared;
    }
    return weighted(statistics);
  }
}
