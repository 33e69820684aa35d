/**
 * Candidate nodes for a new mirrored instance, each tried once in each role, and the feasible pairs among
 * them.
 *
 * A pair adds to its two nodes only the memory the secondary already reserves for the primary, so only pairs
 * that share instances are examined individually. Counts need no enumeration. Cost: O(nodes + shared pairs).
 */

import { memoryReservedFor, secondaryMisfit } from "../fit/fitting.js";
import { fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { field } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import { type Measures, measureNode } from "../score/metrics.js";
import type { PrimaryOption, SecondaryOption } from "../score/pair-table.js";
import type { ScoreBoard } from "../score/score-board.js";
import type { Search } from "./allocation.js";

/**
 * A secondary that would reserve more memory for the primary than for any other node, because of instances
 * the two already share. Only such a pair differs from the sum of its nodes.
 */
interface PeerReservation {
  readonly secondary: number;
  readonly misfit: Misfit;
}

const nobody: readonly PeerReservation[] = [];

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
  /** By node: its state as the secondary of an unrelated primary. */
  private readonly usual: (SecondaryOption | Misfit | undefined)[];
  /** By primary. */
  private readonly sharing: (PeerReservation[] | undefined)[];

  constructor(
    private readonly search: Search,
    private readonly board: ScoreBoard,
    private readonly primaryNodes: readonly number[],
    private readonly secondaryNodes: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.measures = new Array(this.cluster.nodeCount);
    this.usual = new Array(this.cluster.nodeCount);
    this.sharing = new Array(this.cluster.nodeCount);
    for (const node of secondaryNodes) this.trySecondary(node);
    if (!search.instance.forthcoming) this.findSharing();
    for (const node of primaryNodes) this.tryPrimary(node);
    this.feasible = this.count();
  }

  sharingWith(primary: number): readonly PeerReservation[] {
    return this.sharing[primary] ?? nobody;
  }

  /** Number of feasible pairs with this primary. */
  feasibleOf(primary: number): number {
    let feasible = this.secondaries.length - (this.isUsual(primary) ? 1 : 0);
    for (const { secondary, misfit } of this.sharingWith(primary)) {
      if (this.isUsual(secondary)) feasible--;
      if (misfit === fits) feasible++;
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
    this.usual[node] = tried;
    if (typeof tried !== "number") this.secondaries.push(tried);
  }

  private findSharing(): void {
    const { cluster, search, sharing } = this;
    const { instance } = search;
    const needed = memoryReservedFor(instance);
    const isPrimary = new Uint8Array(cluster.nodeCount);
    for (const node of this.primaryNodes) isPrimary[node] = 1;
    for (const secondary of this.secondaryNodes) {
      const reserved = cluster.get(secondary, field.memoryReserved);
      for (const { node, mib } of cluster.peers[secondary] as PeerMap) {
        if (isPrimary[node] === 0 || node === secondary) continue;
        if (mib === 0 || mib + needed <= reserved) continue;
        const misfit = secondaryMisfit(cluster, instance, secondary, node, false);
        const known = sharing[node];
        if (known) known.push({ secondary, misfit });
        else sharing[node] = [{ secondary, misfit }];
      }
    }
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
    return this.secondaryNodes.length - (this.usual[primary] === undefined ? 0 : 1);
  }

  /** Counts refusals by the secondary; returns the number of feasible pairs. */
  private count(): number {
    const usual = new MisfitCounts();
    for (const node of this.secondaryNodes) {
      const tried = this.usual[node];
      if (typeof tried === "number") usual.add(tried);
    }
    this.failures.addAll(usual, this.primaries.length);
    let feasible = 0;
    for (const { node } of this.primaries) {
      const own = this.usual[node];
      if (typeof own === "number") this.failures.add(own, -1);
      for (const { secondary, misfit } of this.sharingWith(node)) {
        const expected = this.usual[secondary];
        if (typeof expected === "number") this.failures.add(expected, -1);
        if (misfit !== fits) this.failures.add(misfit);
      }
      feasible += this.feasibleOf(node);
    }
    return feasible;
  }

  /** Whether the node can be the secondary of an unrelated primary. */
  private isUsual(node: number): boolean {
    return typeof this.usual[node] === "object";
  }
}
