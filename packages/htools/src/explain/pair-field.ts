/**
 * All pairs of nodes for one instance: the possible roles of each node, pairs that differ from the sum of
 * their nodes, and the scores of feasible pairs.
 *
 * Cost: O(nodes + pairs that share instances); only requested scores are computed.
 */
import type { Refusal, Score } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { PeerMap } from "../model/peer-map.js";
import { at } from "../score/metrics.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "../score/pair-table.js";
import { scoreAfter, valuesAfter } from "../score/running-score.js";
import type { ScoreStatistics } from "../score/score-board.js";
import { noScore, scoreFrom } from "./score-figures.js";
import type { TopList } from "./top-list.js";

/** Trial of a node in a role; `primary` -1: a node that shares no instance with it. */
export interface PairTrial {
  readonly primary: (node: number) => PrimaryOption | Refusal;
  readonly secondary: (node: number, primary: number) => SecondaryOption | Refusal;
}

/** Nodes that may be the primary and the secondary of a pair. */
export interface PairNodes {
  readonly primaries: readonly number[];
  readonly secondaries: readonly number[];
}

export const isRefusal = (found: object): found is Refusal => "rule" in found;

export class PairField {
  readonly primaries = new Map<number, PrimaryOption | Refusal>();
  readonly secondaries = new Map<number, SecondaryOption | Refusal>();
  /** By primary: secondaries that already reserve memory for it, tried with it. */
  readonly withReserved = new Map<number, Map<number, SecondaryOption | Refusal>>();
  private readonly table: PairTable | undefined;
  private readonly feasibleSecondaries: number;

  /** @param counted whether locations shared by the instance's nodes count */
  constructor(
    private readonly cluster: Cluster,
    private readonly scoreStatistics: ScoreStatistics,
    { primaries, secondaries }: PairNodes,
    trial: PairTrial,
    private readonly counted: boolean,
  ) {
    for (const node of primaries) this.primaries.set(node, trial.primary(node));
    for (const node of secondaries) this.secondaries.set(node, trial.secondary(node, -1));
    for (const node of secondaries) {
      for (const { node: peer } of cluster.peers[node] as PeerMap) {
        if (!this.isPossible(peer) || peer === node) continue;
        const known = this.withReserved.get(peer) ?? new Map();
        this.withReserved.set(peer, known.set(node, trial.secondary(node, peer)));
      }
    }
    const options = [...this.secondaries.values()].filter((one) => !isRefusal(one));
    this.feasibleSecondaries = options.length;
    if (this.isRegular()) this.table = this.makeTable();
  }

  /** The refusal of a pair, or its secondary's measures. */
  verdict(primary: number, secondary: number): SecondaryOption | Refusal {
    const first = this.primaries.get(primary) as PrimaryOption | Refusal;
    if (isRefusal(first)) return first;
    const known = this.withReserved.get(primary)?.get(secondary);
    return known ?? (this.secondaries.get(secondary) as SecondaryOption | Refusal);
  }

  /** Primaries that are not refused on their own. */
  get possiblePrimaries(): number[] {
    return [...this.primaries.keys()].filter((node) => this.isPossible(node));
  }

  isPossible(node: number): boolean {
    const found = this.primaries.get(node);
    return found !== undefined && !isRefusal(found);
  }

  /** Number of pairs with this primary. */
  partners(primary: number): number {
    return this.secondaries.size - (this.secondaries.has(primary) ? 1 : 0);
  }

  feasibleWith(primary: number): number {
    const own = this.secondaries.get(primary);
    let count = this.feasibleSecondaries - (own !== undefined && !isRefusal(own) ? 1 : 0);
    for (const [secondary, actual] of this.withReserved.get(primary) ?? []) {
      const usual = this.secondaries.get(secondary) as SecondaryOption | Refusal;
      count += Number(!isRefusal(actual)) - Number(!isRefusal(usual));
    }
    return count;
  }

  /** Offers every pair of these primaries that may be among the best. */
  rank(primaries: ReadonlySet<number>, top: TopList): void {
    const withReserved = (primary: number) => this.withReserved.get(primary)?.keys() ?? [];
    if (this.table !== undefined) {
      this.table.visit(
        primaries,
        () => top.limit,
        withReserved,
        (primary, secondary, score) => {
          top.offer(primary, secondary, score);
        },
      );
    }
    for (const primary of primaries) {
      const others = this.table === undefined ? this.secondaries.keys() : withReserved(primary);
      for (const secondary of others) {
        if (secondary === primary || isRefusal(this.verdict(primary, secondary))) continue;
        top.offer(primary, secondary, this.score(primary, secondary));
      }
    }
  }

  /** All possible pairs of a primary, in the order of the secondaries. */
  row(primary: number): { readonly secondary: number; readonly score: number }[] {
    return [...this.secondaries.keys()]
      .filter((node) => node !== primary && !isRefusal(this.verdict(primary, node)))
      .map((secondary) => ({ secondary, score: this.score(primary, secondary) }));
  }

  private score(primary: number, secondary: number): number {
    const { changes, pairs } = this.changes(primary, secondary);
    return scoreAfter(this.scoreStatistics, changes, pairs);
  }

  terms(primary: number, secondary: number): Score {
    if (this.scoreStatistics.count === 0) return noScore();
    const { changes, pairs } = this.changes(primary, secondary);
    return scoreFrom(valuesAfter(this.scoreStatistics, changes, pairs));
  }

  private changes(primary: number, secondary: number) {
    const { offline } = this.cluster.facts;
    const first = this.primaries.get(primary) as PrimaryOption;
    const second = this.verdict(primary, secondary) as SecondaryOption;
    const shared = this.counted ? this.cluster.sharedLocations(primary, secondary) : 0;
    const after = [...first.after];
    if (shared > 0) after[at.location] = (after[at.location] as number) + shared;
    const changes = [
      { before: first.before, after, offline: offline[primary] === 1 },
      { ...second, offline: offline[secondary] === 1 },
    ];
    return { changes, pairs: first.pairs };
  }

  private isRegular(): boolean {
    const { offline } = this.cluster.facts;
    return (
      [...this.primaries.keys(), ...this.secondaries.keys()].every((node) => offline[node] === 0) &&
      [...this.scoreStatistics.totals, ...this.scoreStatistics.variances].every(Number.isFinite)
    );
  }

  private makeTable(): PairTable {
    const { cluster, counted } = this;
    const located = counted && cluster.facts.locations.some((tags) => tags.length > 0);
    const shared = located ? cluster.sharedLocations.bind(cluster) : undefined;
    return new PairTable(
      this.scoreStatistics,
      options(this.primaries),
      options(this.secondaries),
      shared,
    );
  }
}

function options<Option extends object>(
  tried: ReadonlyMap<number, Option | Refusal>,
): readonly Option[] {
  return [...tried.values()].filter((one): one is Option => !isRefusal(one));
}
