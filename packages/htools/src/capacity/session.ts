/**
 * Session on a cluster for placing instances one after the other, including trials: placements since a mark
 * can be undone.
 */
import { bestFirst, type Search, type Solution } from "../allocate/allocation.js";
import { searchPairs } from "../allocate/pair-search.js";
import { searchSingle } from "../allocate/single-search.js";
import { failN1, fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { CapacityCheck } from "../n1/capacity-check.js";
import { EmptyingProofs } from "../n1/emptying-proofs.js";
import { ScoreBoard } from "../score/score-board.js";
import { ScoreColumns } from "../score/score-columns.js";
import { type Assessment, assess, singleMisfits } from "./assessment.js";
import { hasN1Place } from "./n1-place.js";
import { PairPlacer } from "./pair-placer.js";
import type { CapacityScope } from "./scope.js";
import { SinglePlacer } from "./single-placer.js";
import { SizeLimits } from "./size-limits.js";
import { sameSpec, type TrialKind, type TrialSpec, trialInstance } from "./trial.js";

/** An instance that a capacity run placed. */
export interface Placed {
  readonly spec: TrialSpec;
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
}

export interface Mark {
  readonly journal: number;
  readonly placed: number;
}

/** Result of a trial; `failures` is complete only if the instance does not fit. */
export interface Trial {
  readonly fits: boolean;
  readonly failures: MisfitCounts;
}

/** Result of shrinking a size by one reason: a size that fits, or none. */
export interface LineEnd {
  readonly size: TrialSpec | undefined;
}

interface Findings {
  trial: Trial | undefined;
  mayFit: boolean | undefined;
  /** By reason. */
  readonly lineEnds: (LineEnd | undefined)[];
}

type Placer = PairPlacer | SinglePlacer;

export class Session {
  /** In the order of placement. */
  readonly placed: Placed[] = [];
  private readonly everyNode: readonly number[];
  /** In index order. */
  private readonly candidates: readonly number[];
  private readonly limits: SizeLimits;
  private readonly columns: ScoreColumns;
  private readonly proofs: EmptyingProofs;
  private placer: Placer | undefined;
  private placerSpec: TrialSpec | undefined;

  /** @param cluster is changed */
  constructor(
    readonly cluster: Cluster,
    readonly scope: CapacityScope,
    readonly kind: TrialKind,
  ) {
    this.everyNode = cluster.data.nodes.map((_, node) => node);
    this.candidates = scope.groups.flat().sort((a, b) => a - b);
    this.limits = new SizeLimits(cluster, this.candidates, kind, (spec) => this.mayBePlaced(spec));
    this.columns = new ScoreColumns(cluster);
    this.proofs = new EmptyingProofs(cluster);
  }

  assess(spec: TrialSpec): Assessment {
    return assess(this.cluster, this.scope, this.newcomer(spec));
  }

  /** Places an instance where the score is lowest, without checking whether nodes can be emptied. */
  place(spec: TrialSpec): boolean {
    const placement = this.columns.isRegular
      ? this.placerOf(spec).place()
      : this.search(this.newcomer(spec), undefined).place;
    if (placement === undefined) return false;
    this.settle(spec, placement);
    return true;
  }

  /** The best placement for an instance on one node after which every node can be emptied. */
  findChecked(spec: TrialSpec): {
    readonly placement: Placement | undefined;
    readonly passedOver: number;
  } {
    const instance = this.newcomer(spec);
    const { index } = instance;
    const capacity = this.capacityCheck(instance, index);
    const { cluster } = this;
    let passedOver = 0;
    for (const placement of this.placements(spec, instance)) {
      const mark = cluster.mark();
      addPrimary(cluster, instance, index, placement.primary, false, 0);
      const passed = capacity === undefined || capacity.passes(placement);
      cluster.rollback(mark);
      if (passed) return { placement, passedOver };
      passedOver++;
    }
    return { placement: undefined, passedOver };
  }

  /**
   * Whether an instance fits in addition to the committed ones; does not place it. With capacity checks,
   * mirrored instances are checked too. The instance is not part of the run and has no index.
   */
  tryOut(spec: TrialSpec): Trial {
    const known = this.remembered(spec);
    known.trial ??= this.trial(spec);
    return known.trial;
  }

  private trial(spec: TrialSpec): Trial {
    const { failures, feasible } = this.assess(spec);
    if (feasible === 0) return { fits: false, failures };
    const instance = trialInstance(spec, this.kind, "new", -1);
    const capacity = this.capacityCheck(instance, this.cluster.instanceCount);
    if (capacity === undefined || hasN1Place(this.cluster, this.scope, instance, capacity)) {
      return { fits: true, failures };
    }
    failures.add(failN1, feasible);
    return { fits: false, failures };
  }

  /** Whether all relevant nodes can be emptied now; true without capacity checks. */
  get holds(): boolean {
    const { examined } = this.scope;
    return (
      examined === undefined ||
      CapacityCheck.canBeEmptied(this.cluster, examined, this.everyNode, this.proofs)
    );
  }

  /** Whether some node certainly cannot be emptied, even with more instances placed. */
  get isHopeless(): boolean {
    const { examined } = this.scope;
    return examined !== undefined && CapacityCheck.isHopeless(this.cluster, examined, this.proofs);
  }

  /** `isHopeless` in the committed state, computed once. */
  get staysHopeless(): boolean {
    this.hopeless ??= this.isHopeless;
    return this.hopeless;
  }
  private hopeless: boolean | undefined;

  /** False if an instance of this size, or a larger one, certainly does not fit in the committed state. */
  mayFit(spec: TrialSpec): boolean {
    if (this.limits.isTooLarge(spec)) return false;
    const known = this.remembered(spec);
    known.mayFit ??= this.limits.findOut(spec);
    return known.mayFit;
  }

  /** The result stored since the last commit. */
  lineEnd(spec: TrialSpec, reason: Misfit): LineEnd | undefined {
    return this.remembered(spec).lineEnds[reason];
  }

  noteLineEnd(spec: TrialSpec, reason: Misfit, end: LineEnd): void {
    this.remembered(spec).lineEnds[reason] = end;
  }

  /** Findings about a size in the committed state. */
  private remembered({ memoryMib, diskMib, vcpus, spindles }: TrialSpec): Findings {
    const key = `${memoryMib},${diskMib},${vcpus},${spindles}`;
    let known = this.findings.get(key);
    if (known === undefined) {
      known = { trial: undefined, mayFit: undefined, lineEnds: [] };
      this.findings.set(key, known);
    }
    return known;
  }
  private readonly findings = new Map<string, Findings>();

  private mayBePlaced(spec: TrialSpec): boolean {
    if (this.assess(spec).feasible === 0) return false;
    const instance = trialInstance(spec, this.kind, "new", -1);
    const capacity = this.capacityCheck(instance, this.cluster.instanceCount);
    if (capacity === undefined) return true;
    if (capacity.hopeless) return false;
    const { exclusiveStorage } = this.cluster.facts;
    const { candidates } = this;
    // If storage differs, the policy can accept larger sizes elsewhere.
    const alike = candidates.every(
      (node) => exclusiveStorage[node] === exclusiveStorage[candidates[0] as number],
    );
    if (!alike) return true;
    const misfits = singleMisfits(this.cluster, candidates, instance);
    return candidates.some(
      (node, at) => misfits[at] === fits && capacity.decidedFor(node) !== false,
    );
  }

  mark(): Mark {
    return { journal: this.cluster.mark(), placed: this.placed.length };
  }

  rollback({ journal, placed }: Mark): void {
    const { cluster } = this;
    const undone = this.placed.splice(placed);
    const touched = undone.flatMap(({ primary, secondary }) =>
      secondary < 0 ? [primary] : [primary, secondary],
    );
    cluster.rollback(journal);
    cluster.delist(undone.length);
    this.noteChanged([...new Set(touched)]);
  }

  /** Makes all placements so far permanent. */
  commit(): void {
    this.cluster.settle();
    if (this.committed.placed === this.placed.length) return;
    this.findings.clear();
    this.hopeless = undefined;
    this.committed = { journal: 0, placed: this.placed.length };
  }
  private committed: Mark = { journal: 0, placed: 0 };

  rollbackToCommitted(): void {
    this.rollback(this.committed);
  }

  private newcomer(spec: TrialSpec): Instance {
    const name = `new-${this.placed.length}`;
    return trialInstance(spec, this.kind, name, this.cluster.instanceCount);
  }

  settle(spec: TrialSpec, { primary, secondary, locationScore }: Placement): void {
    const { cluster } = this;
    const instance = this.newcomer(spec);
    const { index } = instance;
    addPrimary(cluster, instance, index, primary, true, locationScore);
    if (secondary >= 0) addSecondary(cluster, instance, index, secondary, primary, true);
    cluster.enlist(instance, primary, secondary, locationScore);
    this.placed.push({ spec, primary, secondary });
    this.proofs.place(primary);
    this.noteChanged(secondary < 0 ? [primary] : [primary, secondary]);
  }

  private noteChanged(nodes: readonly number[]): void {
    this.columns.refresh(nodes);
    this.placer?.refresh(nodes);
  }

  private placerOf(spec: TrialSpec): Placer {
    const { cluster, columns, scope, placer } = this;
    const instance = this.newcomer(spec);
    if (placer === undefined) {
      const make = scope.copies === 1 ? SinglePlacer : PairPlacer;
      this.placer = new make(cluster, columns, scope, instance);
    } else if (this.placerSpec === undefined || !sameSpec(this.placerSpec, spec)) {
      placer.turnTo(instance);
    }
    this.placerSpec = spec;
    return this.placer as Placer;
  }

  private *placements(spec: TrialSpec, instance: Instance): Generator<Placement> {
    const placer = this.columns.isRegular ? this.placerOf(spec) : undefined;
    if (placer instanceof SinglePlacer) yield* placer.bestFirst();
    else yield* this.placementsByFullScore(instance);
  }

  /** For single nodes, if figures are NaN. */
  private *placementsByFullScore(instance: Instance): Generator<Placement> {
    const { cluster } = this;
    const nodes = this.candidates;
    const board = new ScoreBoard(cluster, this.everyNode);
    const scored: { node: number; score: number }[] = [];
    for (const [at, misfit] of singleMisfits(cluster, nodes, instance).entries()) {
      if (misfit !== fits) continue;
      const node = nodes[at] as number;
      const mark = cluster.mark();
      addPrimary(cluster, instance, instance.index, node, true, 0);
      scored.push({ node, score: board.exact([node]) });
      cluster.rollback(mark);
    }
    for (const { node } of bestFirst(scored)) {
      yield { primary: node, secondary: -1, locationScore: 0 };
    }
  }

  private search(instance: Instance, capacity: CapacityCheck | undefined): Solution {
    const { cluster, everyNode: scored, scope } = this;
    const index = instance.index < 0 ? cluster.instanceCount : instance.index;
    const search: Search = {
      cluster,
      instance,
      index,
      scored,
      ignoreSoftErrors: false,
      capacity,
      scores: undefined,
    };
    if (scope.copies === 1) return searchSingle(search, this.candidates, 0);
    return scope.groups.map((nodes) => searchPairs(search, nodes, nodes)).reduce(better, nothing());
  }

  private capacityCheck(instance: Instance, index: number): CapacityCheck | undefined {
    const { examined } = this.scope;
    if (examined === undefined) return undefined;
    const { cluster, everyNode, proofs } = this;
    return new CapacityCheck(cluster, examined, { instance, index }, everyNode, proofs);
  }
}

const nothing = (): Solution => ({ failures: new MisfitCounts(), successes: 0, place: undefined });

/** Merges the solutions of two groups: all their counts, and the better place; among equals the later. */
function better(a: Solution, b: Solution): Solution {
  const failures = new MisfitCounts();
  failures.addAll(a.failures, 1);
  failures.addAll(b.failures, 1);
  const successes = a.successes + b.successes;
  if (a.place === undefined || b.place === undefined) {
    return { failures, successes, place: a.place ?? b.place };
  }
  const [first, last] = a.place.primary < b.place.primary ? [a.place, b.place] : [b.place, a.place];
  return { failures, successes, place: first.score < last.score ? first : last };
}
