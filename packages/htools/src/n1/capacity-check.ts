/**
 * Global N+1 check: whether every node could still be emptied after a tentative placement.
 *
 * Emptying a node is simulated step by step (`emptying-steps.ts`), but only if counting does not decide
 * (`emptying-count.ts`).
 */

import { isMirrored } from "@ganeti-ts/protocol";
import type { Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { EmptyingCount, type Verdict } from "./emptying-count.js";
import type { EmptyingProofs } from "./emptying-proofs.js";
import { EmptyingSteps } from "./emptying-steps.js";
import { type Newcomer, nobody } from "./evacuees.js";
import { type Margins, margins, marginsOf, noMargins } from "./margins.js";

/**
 * A node for which the state before the placement does not prove that it can be emptied after every
 * placement.
 */
interface Uncertain {
  readonly node: number;
  /** Verdict for every placement whose primary is not a node this node relies on; counted when first read. */
  readonly atRest: Verdict;
  /** The nodes its instances move to; undefined: any node of its group. */
  readonly reliesOn: readonly number[] | undefined;
}

export class CapacityCheck {
  private readonly uncertain: Uncertain[];
  /** Some node already cannot be emptied: no placement passes. */
  readonly hopeless: boolean;
  private readonly examined: Uint8Array;
  private readonly counting: EmptyingCount;
  private readonly steps: EmptyingSteps;
  /** The newcomer's needs, and those of a secondary. */
  private readonly margins: Margins;
  private readonly diskMargins: Margins;
  /** Verdicts counted for all nodes at once, with the newcomer's needs subtracted everywhere. */
  private readonly atRest: ((node: number) => Verdict | undefined) | undefined;

  /**
   * Examines the cluster before the placement. Cost: O(nodes + instances), O(nodes²) with shared storage.
   * @param nodes nodes that it must be possible to empty
   * @param scored nodes whose score selects the targets of re-created instances
   */
  constructor(
    private readonly cluster: Cluster,
    nodes: readonly number[],
    private readonly newcomer: Newcomer,
    scored: readonly number[] = nodes,
    proofs?: EmptyingProofs,
  ) {
    const { instance } = newcomer;
    const copies = isMirrored(instance.data.diskTemplate) ? 2 : 1;
    this.margins = marginsOf(instance, copies);
    this.diskMargins = margins(0, this.margins.diskMib, copies);
    this.counting = new EmptyingCount(cluster, newcomer, proofs?.primaries);
    this.steps = new EmptyingSteps(cluster, newcomer, scored);
    this.examined = new Uint8Array(cluster.nodeCount);
    for (const node of nodes) this.examined[node] = 1;
    this.atRest = this.counting.verdictsAtRest(this.margins);
    this.uncertain = nodes
      .filter((node) => this.verdictAtRest(node) !== "empties")
      .map((node) => this.describe(node));
    this.hopeless = this.uncertain.some(
      ({ node }) => presentVerdict(this.counting, node, proofs) === "stuck",
    );
  }

  /**
   * Whether every placement with this primary passes (true), none does (false), or it depends on
   * the secondary. A secondary only takes disk, and is known to have memory for the newcomer.
   */
  decidedFor(primary: number): boolean | undefined {
    if (this.hopeless) return false;
    const own = this.primaryVerdict(primary);
    if (own === "empties" && this.uncertain.length === 0) return true;
    const verdicts = [own, ...this.verdictsBeside(primary)];
    if (verdicts.includes("stuck")) return false;
    return verdicts.every((verdict) => verdict === "empties") ? true : undefined;
  }

  private verdictAtRest(node: number): Verdict {
    const { counting, margins } = this;
    return this.atRest?.(node) ?? counting.verdict(node, margins);
  }

  /** Verdict for the primary itself, whichever node is the secondary. */
  private primaryVerdict(primary: number): Verdict {
    if (this.examined[primary] === 0) return "empties";
    const { instance, listed = instance } = this.newcomer;
    // Nodes do not list instances that do not exist yet.
    const extra = instance.forthcoming ? undefined : listed;
    if (this.atRest?.(primary) === "empties") {
      if (extra === undefined) return "empties";
      // One more mirrored instance makes no difference if its secondary has room for it.
      const isPair = isMirrored(extra.data.diskTemplate);
      if (isPair && !this.counting.isFull(primary, this.margins.diskMib)) return "empties";
    }
    const verdict = this.counting.verdict(primary, this.margins, extra);
    if (verdict === "empties") return "empties";
    return this.counting.verdict(primary, noMargins, extra) === "stuck" ? "stuck" : "open";
  }

  /** Verdicts for the other uncertain nodes with the newcomer on its primary. */
  private verdictsBeside(primary: number): Verdict[] {
    const verdicts: Verdict[] = [];
    const affected: number[] = [];
    for (const one of this.uncertain) {
      if (one.node === primary) continue;
      if (relies(one, primary)) affected.push(one.node);
      else verdicts.push(one.atRest);
    }
    if (affected.length === 0) return verdicts;
    const { cluster, newcomer } = this;
    const mark = cluster.mark();
    addPrimary(cluster, newcomer.instance, newcomer.index, primary, true, 0);
    for (const node of affected) {
      const isStuck = this.counting.verdict(node, noMargins) === "stuck";
      verdicts.push(isStuck ? "stuck" : this.verdictForSecondaries(node));
    }
    cluster.rollback(mark);
    return verdicts;
  }

  private describe(node: number): Uncertain {
    const { secondaries, others } = this.counting.leavingFrom(node);
    let atRest: Verdict | undefined;
    const atRestOf = () => {
      atRest ??= this.verdictForSecondaries(node);
      return atRest;
    };
    return {
      node,
      get atRest() {
        return atRestOf();
      },
      reliesOn: others.length === 0 ? secondaries : undefined,
    };
  }

  /**
   * Verdict for all secondaries of the newcomer, with its primary as it is. A secondary only takes disk, unless the
   * newcomer leaves this node too.
   */
  private verdictForSecondaries(node: number): "empties" | "open" {
    const margins = this.counting.sharesIndex(node) ? this.margins : this.diskMargins;
    const verdict = this.counting.verdict(node, margins);
    return verdict === "empties" ? "empties" : "open";
  }

  /** Whether every node can be emptied with the newcomer on its nodes. */
  passes(placement: Placement): boolean {
    if (this.hopeless) return false;
    const { primary } = placement;
    for (const [i, one] of this.uncertain.entries()) {
      if (one.node !== primary && !relies(one, primary) && one.atRest === "empties") continue;
      if (this.empties(one.node, placement)) continue;
      // The next placement likely fails at the same node.
      this.uncertain.splice(i, 1);
      this.uncertain.unshift(one);
      return false;
    }
    const seen = this.uncertain.some(({ node }) => node === primary);
    return seen || this.examined[primary] === 0 || this.empties(primary, placement);
  }

  /** Nodes that cannot be emptied in the present state. */
  stuckAtRest(): number[] {
    return this.uncertain.map(({ node }) => node).filter((node) => !this.empties(node, nowhere));
  }

  /** Whether counting proves that some of `nodes` cannot be emptied, now or with more instances placed. */
  static isHopeless(cluster: Cluster, nodes: readonly number[], proofs?: EmptyingProofs): boolean {
    const counting = new EmptyingCount(cluster, nobody, proofs?.primaries);
    return nodes.some((node) => presentVerdict(counting, node, proofs) === "stuck");
  }

  /** Whether all of `nodes` can be emptied in the present state; the score of `scored` selects targets. */
  static canBeEmptied(
    cluster: Cluster,
    nodes: readonly number[],
    scored: readonly number[],
    proofs?: EmptyingProofs,
  ): boolean {
    const counting = new EmptyingCount(cluster, nobody, proofs?.primaries);
    const steps = new EmptyingSteps(cluster, nobody, scored);
    const open: number[] = [];
    for (const node of nodes) {
      const verdict = presentVerdict(counting, node, proofs);
      if (verdict === "stuck") return false;
      if (verdict === "open") open.push(node);
    }
    return open.every((node) => steps.empties(node, nowhere));
  }

  private empties(node: number, placement: Placement): boolean {
    const verdict = this.counting.verdict(node, noMargins, undefined, placement);
    return verdict === "open" ? this.steps.empties(node, placement) : verdict === "empties";
  }
}

/** The verdict by counting in the present state, from a kept proof if there is one. */
const presentVerdict = (
  counting: EmptyingCount,
  node: number,
  proofs: EmptyingProofs | undefined,
): Verdict => proofs?.verdict(node, counting) ?? counting.verdict(node, noMargins);

/**
 * The nodes whose instances could not all be placed elsewhere, tested one node at a time. The score of
 * `nodes` selects the targets of re-created instances.
 */
export const stuckNodes = (cluster: Cluster, nodes: readonly number[]): number[] =>
  new CapacityCheck(cluster, nodes, nobody).stuckAtRest();

const nowhere: Placement = { primary: -1, secondary: -1, locationScore: 0 };

const relies = ({ reliesOn }: Uncertain, primary: number): boolean =>
  reliesOn === undefined || reliesOn.includes(primary);
