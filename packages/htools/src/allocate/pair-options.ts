/**
 * Candidate nodes for a new mirrored instance, each tried once in each role, and the feasible pairs among
 * them.
 *
 * A pair adds to its two nodes only the memory the secondary already reserves for the primary, so only pairs
 * that share instances are examined individually. Counts need no enumeration. Cost: O(nodes + shared pairs).
 */

import { memoryReservedFor, reservationMisfit, secondaryMisfit } from "../fit/fitting.js";
import { failMem, fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { field } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import { at, type Measures, measureNode, weights } from "../score/metrics.js";
import type { PrimaryOption, SecondaryOption } from "../score/pair-table.js";
import { changedVariance } from "../score/running-score.js";
import type { ScoreBoard, ScoreStatistics } from "../score/score-board.js";
import type { Search } from "./allocation.js";
import { SharingPairs } from "./sharing-pairs.js";

/** In place of a misfit, for nodes that are not secondaries. */
const notSecondary = -2;

export class PairOptions {
  /** Nodes that fit as primaries. */
  readonly primaries: PrimaryOption[] = [];
  /** Nodes that fit as secondaries of an unrelated primary, i.e. one without instances on them. */
  readonly secondaries: SecondaryOption[] = [];
  /** Refusals of infeasible pairs. */
  readonly failures = new MisfitCounts();
  /** Number of feasible pairs. */
  readonly feasible: number;
  private readonly cluster: Cluster;
  /** By node, before the placement. */
  private readonly measures: (Measures | undefined)[];
  /** By node: its misfit as the secondary of an unrelated primary, or `notSecondary`. */
  private readonly usual: Int8Array;
  /**
   * Pairs whose secondary would reserve more memory for the primary than for any other node, because of
   * instances the two already share. Only such a pair differs from the sum of its nodes.
   */
  readonly sharing: SharingPairs;

  private readonly scoreStatistics: ScoreStatistics;

  constructor(
    private readonly search: Search,
    private readonly board: ScoreBoard,
    private readonly primaryNodes: readonly number[],
    private readonly secondaryNodes: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.scoreStatistics = board.scoreStatistics;
    this.measures = new Array(this.cluster.nodeCount);
    this.usual = new Int8Array(this.cluster.nodeCount).fill(notSecondary);
    this.sharing = new SharingPairs(this.cluster.nodeCount);
    for (const node of secondaryNodes) this.trySecondary(node);
    if (!search.instance.forthcoming) this.findSharing();
    for (const node of primaryNodes) this.tryPrimary(node);
    this.feasible = this.count();
  }

  /** Number of feasible pairs with this primary. */
  feasibleOf(primary: number): number {
    let feasible = this.secondaries.length - (this.isUsual(primary) ? 1 : 0);
    const { sharing } = this;
    for (let pair = sharing.firstOf(primary); pair >= 0; pair = sharing.next(pair)) {
      if (this.isUsual(sharing.secondaryOf(pair))) feasible--;
      if (sharing.isFeasible(pair)) feasible++;
    }
    return feasible;
  }

  /**
   * Always strict: soft errors of a secondary are never ignored.
   * @param primary -1 for an unrelated node
   */
  secondaryWith(node: number, primary: number): SecondaryOption | Misfit {
    const { cluster, search } = this;
    const before = this.measured(node);
    const mark = cluster.mark();
    const misfit = addSecondary(cluster, search.instance, search.index, node, primary, false);
    if (misfit !== fits) return misfit;
    const option = { node, before, after: measureNode(cluster, node) };
    cluster.rollback(mark);
    return option;
  }

  private trySecondary(node: number): void {
    const tried = this.secondaryWith(node, -1);
    this.usual[node] = typeof tried === "number" ? tried : fits;
    if (typeof tried !== "number") this.secondaries.push(tried);
  }

  private findSharing(): void {
    const { cluster, search, sharing } = this;
    const needed = memoryReservedFor(search.instance);
    const isPrimary = new Uint8Array(cluster.nodeCount);
    for (const node of this.primaryNodes) isPrimary[node] = 1;
    for (const secondary of this.secondaryNodes) {
      const reserved = cluster.get(secondary, field.memoryReserved);
      const termsWith = this.sharingTerms(secondary);
      for (const { node, mib } of cluster.peers[secondary] as PeerMap) {
        // (the largest comes first)
        if (mib + needed <= reserved) break;
        if (mib === 0 || isPrimary[node] === 0 || node === secondary) continue;
        const reservedMib = mib + needed;
        const misfit = this.sharingMisfit(node, secondary, reservedMib);
        sharing.add(node, secondary, misfit, termsWith(reservedMib));
      }
    }
  }

  /**
   * A pair differs from one of unrelated nodes only in the reservation, which is checked after all other
   * present resources, and before the planned ones.
   */
  private sharingMisfit(primary: number, secondary: number, reservedMib: number): Misfit {
    const { cluster } = this;
    const misfit = this.usual[secondary] as Misfit;
    const { instance } = this.search;
    if (reservationMisfit(cluster, secondary, reservedMib) === fits) return misfit;
    return misfit === fits
      ? failMem
      : secondaryMisfit(cluster, instance, secondary, primary, false);
  }

  private tryPrimary(node: number): void {
    const { cluster, search, board } = this;
    const { data, facts } = cluster;
    const { instance, index, ignoreSoftErrors } = search;
    const group = data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number];
    let misfit = policyMisfit(instance, group.policy, facts.exclusiveStorage[node] === 1);
    const before = this.measured(node);
    const mark = cluster.mark();
    if (misfit === fits) misfit = addPrimary(cluster, instance, index, node, ignoreSoftErrors, 0);
    if (misfit === fits) {
      const pairs = board.pairsAfter([node]);
      this.primaries.push({ node, before, after: measureNode(cluster, node), pairs });
    } else {
      this.failures.add(misfit, this.partnerCount(node));
    }
    cluster.rollback(mark);
  }

  /** Measures of a node before the placement, cached because most nodes are examined in both roles. */
  private measured(node: number): Measures {
    this.measures[node] ??= measureNode(this.cluster, node);
    return this.measures[node] as Measures;
  }

  /** Number of pairs with this primary. */
  private partnerCount(primary: number): number {
    return this.secondaryNodes.length - (this.usual[primary] === notSecondary ? 0 : 1);
  }

  /** Counts refusals by the secondary; returns the number of feasible pairs. */
  private count(): number {
    const usual = new MisfitCounts();
    for (const node of this.secondaryNodes) {
      const tried = this.usual[node] as Misfit;
      if (tried >= 0) usual.add(tried);
    }
    this.failures.addAll(usual, this.primaries.length);
    let feasible = 0;
    for (const { node } of this.primaries) {
      const own = this.usual[node] as Misfit;
      if (own >= 0) this.failures.add(own, -1);
      const { sharing } = this;
      for (let pair = sharing.firstOf(node); pair >= 0; pair = sharing.next(pair)) {
        const expected = this.usual[sharing.secondaryOf(pair)] as Misfit;
        if (expected >= 0) this.failures.add(expected, -1);
        if (!sharing.isFeasible(pair)) this.failures.add(sharing.misfitOf(pair));
      }
      feasible += this.feasibleOf(node);
    }
    return feasible;
  }

  /** The terms of a sharing pair (see `SharingPairs.termsOf`), by the memory that the secondary reserves then. */
  private sharingTerms(node: number): (reservedMib: number) => number {
    const { cluster } = this;
    const { totals, variances, count } = this.scoreStatistics;
    const before = this.measured(node);
    const reserved = before[at.reserved] as number;
    const memoryTotal = cluster.facts.memoryTotal[node] as number;
    const memoryFree = cluster.get(node, field.memoryUnallocated);
    const placed = before[at.offlineAll] as number;
    const [total, variance] = [totals[at.reserved] as number, variances[at.reserved] as number];
    const [forDeviation, forSum] = [
      weights[at.reserved] as number,
      weights[at.reservedTotal] as number,
    ];
    return (reservedMib) => {
      const ratio = reservedMib / memoryTotal;
      const deviation = Math.sqrt(changedVariance(variance, total, count, reserved, ratio));
      const failing = memoryFree <= reservedMib ? placed + 1 : 0;
      const n1 = (weights[at.n1] as number) * (failing - (before[at.n1] as number));
      return forDeviation * deviation + n1 + forSum * (ratio - reserved);
    };
  }

  /** Whether the node can be the secondary of an unrelated primary. */
  private isUsual(node: number): boolean {
    return this.usual[node] === fits;
  }
}
