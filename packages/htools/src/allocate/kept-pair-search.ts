/**
 * Search for the best pair of nodes on a kept cluster: the answer of `searchPairs`, from kept score columns and effects
 * instead of trials. O(candidates x components), plus pairs of nodes near the best one.
 */
import { isMirrored } from "@ganeti-ts/protocol";
import { memoryReservedFor, reservationMisfit, secondaryMisfit } from "../fit/fitting.js";
import { failMem, failN1, fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Instance } from "../model/instance.js";
import type { KeptBoard } from "../score/kept-scores.js";
import { PairFinder } from "../score/pair-finder.js";
import type { Place, Search, Solution } from "./allocation.js";
import { hasKeptEffects, keptBoardFor } from "./kept-board.js";
import { NodeEffects } from "./node-effects.js";
import { peerReservations } from "./peer-reservations.js";

/**
 * Undefined if the kept columns do not suffice: the cluster is not kept or is in a trial, locations, exclusion tags or
 * exclusive storage matter, or the N+1 test depends on the pair.
 */
export function searchKeptPairs(
  search: Search,
  candidates: readonly number[],
): Solution | undefined {
  const board = isCovered(search.instance) ? keptBoardFor(search, candidates) : undefined;
  if (board === undefined) return undefined;
  // The same for all nodes of a group without exclusive storage.
  const policy = policyVerdict(search.cluster, search.instance, candidates[0] as number);
  return policy === fits
    ? new KeptPairSearch(search, board, candidates).solve()
    : refusedBy(policy, candidates.length);
}

function refusedBy(policy: Misfit, nodeCount: number): Solution {
  const failures = new MisfitCounts();
  failures.add(policy, nodeCount * (nodeCount - 1));
  return { failures, successes: 0, place: undefined };
}

const isCovered = (instance: Instance): boolean =>
  isMirrored(instance.data.diskTemplate) && hasKeptEffects(instance);

class KeptPairSearch {
  private readonly effects: NodeEffects;
  private readonly failures = new MisfitCounts();
  /** By primary: how many more (or fewer) pairs are feasible because of instances that nodes share. */
  private readonly shared = new Map<number, number>();
  /** By position among the candidates. */
  private readonly places: readonly number[];
  private readonly group: number;
  /** Nodes that fit as a primary, and as the secondary of an unrelated primary. */
  private primaryCount = 0;
  private secondaryCount = 0;

  constructor(
    private readonly search: Search,
    private readonly board: KeptBoard,
    private readonly candidates: readonly number[],
  ) {
    this.effects = new NodeEffects(search, board, candidates);
    this.places = this.effects.groups[0] as readonly number[];
    this.group = search.cluster.facts.groupOf[candidates[0] as number] as number;
    const { asPrimary, asSecondary } = this.effects;
    for (const place of this.places) {
      this.primaryCount += asPrimary.feasible[place] as number;
      this.secondaryCount += asSecondary.feasible[place] as number;
    }
  }

  solve(): Solution | undefined {
    this.countUsual();
    const { refusesSharing } = this.effects.kept;
    for (let i = 0; i < this.places.length; i++) {
      if (refusesSharing[this.places[i] as number] === 1) this.countShared(i);
    }
    const passedOver: number[] = [];
    const solution = this.solveWithout(passedOver);
    // The effects are kept for other searches.
    for (const place of passedOver) this.effects.asPrimary.feasible[place] = 1;
    return solution;
  }

  /** @param passedOver receives the places of primaries that fit and would cost the cluster N+1 */
  private solveWithout(passedOver: number[]): Solution | undefined {
    const { candidates, effects, failures, search } = this;
    const { feasible } = effects.asPrimary;
    let successes = 0;
    for (let i = 0; i < this.places.length; i++) {
      const place = this.places[i] as number;
      if (feasible[place] === 0) continue;
      const node = candidates[i] as number;
      const pairs = this.feasibleOf(node, place);
      const decided = search.capacity === undefined || search.capacity.decidedFor(node);
      if (decided === undefined) return undefined;
      if (decided) {
        successes += pairs;
        continue;
      }
      failures.add(failN1, pairs);
      passedOver.push(place);
      feasible[place] = 0;
    }
    return { failures, successes, place: this.place() };
  }

  private place(): Place | undefined {
    const { columns } = this.board;
    // (boards have no locations)
    const best = new PairFinder(this.search.cluster, columns, this.effects, false).find();
    if (best === undefined) return undefined;
    const primary = columns.nodes[best.primary] as number;
    const secondary = columns.nodes[best.secondary] as number;
    return { primary, secondary, locationScore: 0, score: best.score };
  }

  /** Number of feasible pairs with this primary. */
  private feasibleOf(primary: number, place: number): number {
    const own = this.effects.asSecondary.feasible[place] as number;
    return this.secondaryCount - own + (this.shared.get(primary) ?? 0);
  }

  private isPrimary(node: number): boolean {
    const { facts } = this.search.cluster;
    const place = this.board.columns.placeOfNode(node);
    if (place < 0 || facts.groupOf[node] !== this.group) return false;
    return this.effects.asPrimary.feasible[place] === 1;
  }

  /** Counts refusals as if no nodes shared instances. */
  private countUsual(): void {
    const { places, failures, primaryCount } = this;
    const { primaryMisfits, secondaryMisfits } = this.effects.kept;
    for (const place of places) {
      const asPrimary = primaryMisfits[place] as Misfit;
      const asSecondary = secondaryMisfits[place] as Misfit;
      if (asPrimary !== fits) failures.add(asPrimary, places.length - 1);
      if (asSecondary === fits) continue;
      failures.add(asSecondary, asPrimary === fits ? primaryCount - 1 : primaryCount);
    }
  }

  /** Corrects the counts for primaries with which this secondary shares instances. */
  private countShared(at: number): void {
    const { cluster, instance } = this.search;
    const secondary = this.candidates[at] as number;
    const needed = memoryReservedFor(instance);
    const usual = this.effects.kept.secondaryMisfits[this.places[at] as number] as Misfit;
    for (const { node: primary, mib } of peerReservations(cluster, instance, secondary)) {
      if (!this.isPrimary(primary)) continue;
      if (reservationMisfit(cluster, secondary, mib + needed) === fits) continue;
      const misfit =
        usual === fits ? failMem : secondaryMisfit(cluster, instance, secondary, primary, false);
      this.replace(primary, usual, misfit);
    }
  }

  private replace(primary: number, usual: Misfit, actual: Misfit): void {
    if (usual !== fits) this.failures.add(usual, -1);
    if (actual !== fits) this.failures.add(actual);
    const change = Number(actual === fits) - Number(usual === fits);
    if (change !== 0) this.shared.set(primary, (this.shared.get(primary) ?? 0) + change);
  }
}
