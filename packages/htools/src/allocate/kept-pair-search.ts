/**
 * Search for the best pair of nodes on a kept cluster: the answer of `searchPairs`, from kept score columns instead of
 * trials. O(nodes x components), plus pairs of nodes near the best one.
 */
import { memoryReservedFor, reservationMisfit, secondaryMisfit } from "../fit/fitting.js";
import { failMem, failN1, fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import type { Instance } from "../model/instance.js";
import type { PeerMap } from "../model/peer-map.js";
import { type KeptBoard, keptScoresOf } from "../score/kept-scores.js";
import { PairFinder } from "../score/pair-finder.js";
import type { Place, Search, Solution } from "./allocation.js";
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
  const board = boardFor(search, candidates);
  return board && new KeptPairSearch(search, board, candidates).solve();
}

function boardFor(search: Search, candidates: readonly number[]): KeptBoard | undefined {
  const { cluster, instance, scored } = search;
  const { facts } = cluster;
  const keptScores = keptScoresOf(cluster);
  if (keptScores === undefined || !cluster.isSettled || keptScores.hasLocations) return undefined;
  if (!isCovered(instance)) return undefined;
  const board = keptScores.boardOf(scored);
  if (board === undefined) return undefined;
  const { columns } = board;
  columns.settle();
  if (!columns.isRegular) return undefined;
  for (const node of candidates) {
    if (columns.placeOfNode(node) < 0 || facts.exclusiveStorage[node] === 1) return undefined;
  }
  return board;
}

/** Whether `NodeEffects` covers the instance. Equal columns stay equal only under equal loads. */
function isCovered({ data, load, usesMemory, exclusionTags, desiredLocations }: Instance): boolean {
  const { cpu, memory, network } = load;
  return (
    data.diskTemplate === "drbd" &&
    usesMemory &&
    exclusionTags.length + desiredLocations.length === 0 &&
    cpu === memory &&
    cpu === network
  );
}

class KeptPairSearch {
  private readonly effects: NodeEffects;
  private readonly failures = new MisfitCounts();
  /** By primary: how many more (or fewer) pairs are feasible because of instances that nodes share. */
  private readonly shared = new Map<number, number>();
  /** By node: 1 for nodes that fit as a primary, and as the secondary of an unrelated primary. */
  private readonly isPrimary: Uint8Array;
  private readonly isSecondary: Uint8Array;
  private primaryCount = 0;
  private secondaryCount = 0;

  constructor(
    private readonly search: Search,
    private readonly board: KeptBoard,
    private readonly candidates: readonly number[],
  ) {
    const { nodeCount } = search.cluster;
    this.effects = new NodeEffects(search, board, candidates);
    this.isPrimary = new Uint8Array(nodeCount);
    this.isSecondary = new Uint8Array(nodeCount);
    for (let i = 0; i < candidates.length; i++) {
      const node = candidates[i] as number;
      if (this.effects.primaryMisfits[i] === fits) this.isPrimary[node] = 1;
      if (this.effects.secondaryMisfits[i] === fits) this.isSecondary[node] = 1;
      this.primaryCount += this.isPrimary[node] as number;
      this.secondaryCount += this.isSecondary[node] as number;
    }
  }

  solve(): Solution | undefined {
    const { search, board, effects, failures } = this;
    this.countUsual();
    for (let i = 0; i < this.candidates.length; i++) this.countShared(i);
    let feasible = 0;
    let passedOver = 0;
    for (const node of this.candidates) {
      if (this.isPrimary[node] === 0) continue;
      const pairs = this.feasibleOf(node);
      feasible += pairs;
      const decided = search.capacity === undefined || search.capacity.decidedFor(node);
      if (decided === undefined) return undefined;
      if (decided) continue;
      passedOver += pairs;
      effects.asPrimary.feasible[board.columns.placeOfNode(node)] = 0;
    }
    failures.add(failN1, passedOver);
    return { failures, successes: feasible - passedOver, place: this.place() };
  }

  private place(): Place | undefined {
    const { columns } = this.board;
    const best = new PairFinder(this.search.cluster, columns, this.effects).find();
    if (best === undefined) return undefined;
    const primary = columns.nodes[best.primary] as number;
    const secondary = columns.nodes[best.secondary] as number;
    return { primary, secondary, locationScore: 0, score: best.score };
  }

  /** Number of feasible pairs with this primary. */
  private feasibleOf(primary: number): number {
    const own = this.isSecondary[primary] as number;
    return this.secondaryCount - own + (this.shared.get(primary) ?? 0);
  }

  /** Counts refusals as if no nodes shared instances. */
  private countUsual(): void {
    const { candidates, failures, primaryCount } = this;
    const { primaryMisfits, secondaryMisfits } = this.effects;
    for (let i = 0; i < candidates.length; i++) {
      const [asPrimary, asSecondary] = [primaryMisfits[i] as Misfit, secondaryMisfits[i] as Misfit];
      if (asPrimary !== fits) failures.add(asPrimary, candidates.length - 1);
      if (asSecondary === fits) continue;
      failures.add(asSecondary, asPrimary === fits ? primaryCount - 1 : primaryCount);
    }
  }

  /**
   * Corrects the counts for primaries with which this secondary shares instances. None is examined if even the
   * largest reservation fits, because smaller ones then do.
   */
  private countShared(at: number): void {
    const { cluster, instance } = this.search;
    const secondary = this.candidates[at] as number;
    const [largest] = cluster.peers[secondary] as PeerMap;
    if (largest === undefined) return;
    const needed = memoryReservedFor(instance);
    if (reservationMisfit(cluster, secondary, largest.mib + needed) === fits) return;
    const usual = this.effects.secondaryMisfits[at] as Misfit;
    for (const { node: primary, mib } of peerReservations(cluster, instance, secondary)) {
      if (this.isPrimary[primary] === 0) continue;
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
