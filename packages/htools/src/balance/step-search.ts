/** Search for the move of the next step: the best of all, or first the best of a forthcoming instance. */
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { ScoreBoard } from "../score/score-board.js";
import type { BalanceOptions } from "./balance-options.js";
import { mayChangeBoth } from "./candidates.js";
import { exactScore } from "./search/exhaustive-search.js";
import { type Found, MoveSearch, type SearchInParts } from "./search/move-search.js";
import { pairChanges } from "./search/pair-changes.js";

export class StepSearch {
  /** Search over forthcoming instances, which goes first; undefined without this preference. */
  private readonly reservations: MoveSearch | undefined;
  private readonly others: MoveSearch;
  private readonly planned: readonly Instance[];

  /** @param indices of all instances that may ever be moved, in index order */
  constructor(
    private readonly cluster: Cluster,
    private readonly board: ScoreBoard,
    indices: readonly number[],
    private readonly options: BalanceOptions,
  ) {
    const isPlanned = (index: number) => (cluster.instances[index] as Instance).forthcoming;
    const planned = options.preferForthcoming ? indices.filter(isPlanned) : [];
    const search = (some: readonly number[]) => new MoveSearch(cluster, board, some, options);
    this.planned = planned.map((index) => cluster.instances[index] as Instance);
    this.reservations = planned.length > 0 ? search(planned) : undefined;
    this.others = search(planned.length > 0 ? indices.filter((one) => !isPlanned(one)) : indices);
  }

  /** Updates the search after a step that changed these nodes; the board must be updated before. */
  moved(touched: readonly number[]): void {
    this.reservations?.moved(touched);
    this.others.moved(touched);
  }

  /** The move to make, if any gains enough. */
  *next(score: number, isActive: (index: number) => boolean): SearchInParts<Found | undefined> {
    const first = this.reservations && (yield* this.reservations.best(score, isActive));
    const planned = this.reservations ? this.bestPlanned(score, isActive, first) : first;
    if (planned !== undefined && this.gainsEnough(score, planned)) return planned;
    const found = yield* this.others.best(score, isActive);
    return found !== undefined && this.gainsEnough(score, found) ? found : undefined;
  }

  /** Includes moves that change both nodes at once. */
  private bestPlanned(
    score: number,
    isActive: (index: number) => boolean,
    usual: Found | undefined,
  ): Found | undefined {
    if (!Number.isFinite(score)) return undefined;
    const { cluster, board, options } = this;
    const { ignoreSoftErrors } = options;
    const online = board.nodes.filter((node) => cluster.facts.offline[node] === 0);
    const nodes = { scored: board.nodes, online };
    let best = usual;
    for (const instance of this.planned) {
      const { index } = instance;
      if (!isActive(index) || !mayChangeBoth(cluster, instance, options)) continue;
      const limit = best?.score ?? score;
      for (const move of pairChanges(cluster, instance, nodes, ignoreSoftErrors, limit)) {
        const exact = exactScore(cluster, board, index, move, ignoreSoftErrors);
        const wins =
          exact < (best?.score ?? score) ||
          (best !== undefined && exact === best.score && index < best.index);
        if (wins) best = { index, move, score: exact };
      }
    }
    return best;
  }

  private gainsEnough(score: number, found: Found): boolean {
    const { minGain, minGainLimit } = this.options;
    return found.score < score && (score > minGainLimit || score - found.score >= minGain);
  }
}
