/**
 * Search for the best node on a kept cluster: the answer of `searchSingle`, from kept score columns and effects instead
 * of a board and trials.
 */
import { primaryMisfit } from "../fit/fitting.js";
import { failN1, fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { SingleEffects } from "../score/kept-effects.js";
import type { KeptBoard } from "../score/kept-scores.js";
import { type Measures, measureNode } from "../score/metrics.js";
import type { ScoreColumns } from "../score/score-columns.js";
import { SingleScores } from "../score/single-scores.js";
import type { Place, Search, Solution } from "./allocation.js";
import { type CandidateScores, inExactOrder } from "./exact-order.js";
import { hasKeptEffects, keptBoardFor } from "./kept-board.js";
import { RoleShifts } from "./role-shifts.js";

/**
 * With n scored nodes: O(components) for each candidate, O(n x components) for each tie of the best score, and also for
 * the best node if its score is read. Undefined if the kept columns do not suffice: see `keptBoardFor` and
 * `hasKeptEffects`.
 */
export function searchKeptSingle(
  search: Search,
  candidates: readonly number[],
  locationScore: number,
): Solution | undefined {
  if (locationScore !== 0 || !hasKeptEffects(search.instance)) return undefined;
  const board = keptBoardFor(search, candidates);
  if (board === undefined) return undefined;
  // The same for all nodes of a group without exclusive storage.
  const policy = policyVerdict(search.cluster, search.instance, candidates[0] as number);
  if (policy === fits) return new KeptSingleSearch(search, board, candidates).solve();
  const failures = new MisfitCounts();
  failures.add(policy, candidates.length);
  return { failures, successes: 0, place: undefined };
}

class KeptSingleSearch {
  private readonly columns: ScoreColumns;
  private readonly effects: SingleEffects;
  private readonly scores: SingleScores;

  constructor(
    private readonly search: Search,
    { columns, singles }: KeptBoard,
    private readonly candidates: readonly number[],
  ) {
    this.columns = columns;
    this.effects = singles.of(shapeOf(search));
    this.scores = new SingleScores(columns, this.effects.role);
  }

  solve(): Solution {
    const { columns, scores } = this;
    const { capacity } = this.search;
    const failures = new MisfitCounts();
    const feasible = this.feasible(failures);
    if (capacity?.hopeless) {
      failures.add(failN1, feasible.length);
      return { failures, successes: 0, place: undefined };
    }
    scores.renew(feasible.map((node) => columns.placeOfNode(node)));
    const { estimates, slack } = scores;
    const order: CandidateScores = {
      estimate: (node) => estimates[columns.placeOfNode(node)] as number,
      exact: (node) => this.exact(node),
      limit: (score) => score + 2 * slack,
    };
    let passedOver = 0;
    for (const node of inExactOrder(feasible, order)) {
      const placement: Placement = { primary: node, secondary: -1, locationScore: 0 };
      if (capacity === undefined || this.placed(node, () => capacity.passes(placement))) {
        const place = this.placeOf(placement, order.estimate(node), slack);
        return { failures, successes: feasible.length - passedOver, place };
      }
      failures.add(failN1);
      passedOver++;
    }
    return { failures, successes: 0, place: undefined };
  }

  /** Candidates that fit; the misfits of all others are counted. */
  private feasible(failures: MisfitCounts): readonly number[] {
    const { columns, effects } = this;
    const { cluster, instance, ignoreSoftErrors } = this.search;
    const shifts = new RoleShifts(cluster, instance, columns);
    const feasible: number[] = [];
    for (const node of this.candidates) {
      const place = columns.placeOfNode(node);
      if (effects.isStale[place] === 1) {
        const misfit = primaryMisfit(cluster, instance, node, ignoreSoftErrors);
        effects.misfits[place] = misfit;
        if (misfit === fits) shifts.notePrimary(effects.role, node, place);
        effects.isStale[place] = 0;
      }
      const misfit = effects.misfits[place] as Misfit;
      if (misfit === fits) feasible.push(node);
      else failures.add(misfit);
    }
    return feasible;
  }

  /** The exact score is rarely read, and costs O(n x components): most groups lose by more than rounding. */
  private placeOf(placement: Placement, estimate: number, slack: number): Place {
    const exact = () => {
      this.search.cluster.checkCurrent();
      return this.exact(placement.primary);
    };
    let known: number | undefined;
    return {
      ...placement,
      get score() {
        known ??= exact();
        return known;
      },
      within: [estimate - slack, estimate + slack],
    };
  }

  private exact(node: number): number {
    const { cluster } = this.search;
    const after = this.placed(node, (): Measures => measureNode(cluster, node));
    return this.scores.exact(this.columns.placeOfNode(node), after);
  }

  private placed<T>(node: number, look: () => T): T {
    const { cluster, instance, index, ignoreSoftErrors } = this.search;
    const mark = cluster.mark();
    addPrimary(cluster, instance, index, node, ignoreSoftErrors, 0);
    const seen = look();
    cluster.rollback(mark);
    return seen;
  }
}

/** Everything about an instance that its effects on a primary depend on, and whether it respects soft limits. */
function shapeOf({ instance, ignoreSoftErrors }: Search): string {
  const { memoryMib, local, vcpus, countsVcpus, load } = instance;
  const { diskMib, spindleUse } = local ? instance : { diskMib: 0, spindleUse: 0 };
  return [
    ...[memoryMib, local, diskMib, spindleUse, vcpus, countsVcpus],
    ...[load.cpu, load.memory, load.disk, load.network, ignoreSoftErrors],
  ].join(" ");
}
