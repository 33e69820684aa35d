/**
 * Reasons why a node could not be emptied: the global N+1 test step by step, until an instance of the node
 * fits nowhere else. Source of the steps: `CapacityCheck`.
 */
import type { Attempt, Refusal } from "@ganeti-ts/protocol";
import { moveToBest } from "../fit/best-target.js";
import { failN1, fits } from "../fit/misfit.js";
import { failover, moveTo, type Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { type Evacuee, evacueesOf, type Newcomer } from "../n1/evacuees.js";
import { ScoreBoard } from "../score/score-board.js";
import { failoverRefusal, moveToRefusal } from "./move-refusal.js";
import { policyRefusal } from "./policy-refusal.js";
import { primaryRefusal } from "./primary-refusal.js";
import { type Finding, refusal, withoutNode } from "./refusal.js";

/** Maximum number of nodes listed for an instance that fits nowhere. */
const attemptsMax = 6;

export class EmptyingRefusals {
  constructor(
    private readonly cluster: Cluster,
    /** The nodes that must be emptied, one at a time. */
    private readonly nodes: readonly number[],
    private readonly newcomer: Newcomer,
  ) {}

  /** The last node that refused, tested first because it usually refuses the next placement too. */
  private last: number | undefined;

  /** The first node that cannot be emptied, with the newcomer on its nodes. */
  refusal(placement: Placement | undefined): Refusal | undefined {
    const { last, nodes } = this;
    const ordered = last === undefined ? nodes : [last, ...nodes.filter((node) => node !== last)];
    for (const node of ordered) {
      const found = this.refusalOf(node, placement);
      if (found === undefined) continue;
      this.last = node;
      return found;
    }
    return undefined;
  }

  private refusalOf(node: number, placement: Placement | undefined): Refusal | undefined {
    const { cluster } = this;
    const { mirrored, moving, staying } = evacueesOf(cluster, node, this.newcomer, placement);
    const mark = cluster.mark();
    const found =
      this.failOverAll(node, mirrored) ??
      this.moveAll(node, moving) ??
      this.recreateAll(node, staying);
    cluster.rollback(mark);
    return found;
  }

  private failOverAll(node: number, evacuees: readonly Evacuee[]): Refusal | undefined {
    const { cluster } = this;
    for (const evacuee of evacuees) {
      const { instance, placement } = evacuee;
      if (placement.secondary < 0) return this.stuck(node, instance, [], "it has no secondary");
      const refused = failoverRefusal(cluster, instance, placement, true);
      if (refused) return this.stuck(node, instance, [refused], "it cannot fail over");
      const moved = failover(cluster, instance, placement, true);
      if (moved.ok) evacuee.placement = moved.placement;
    }
    return undefined;
  }

  private moveAll(node: number, evacuees: readonly Evacuee[]): Refusal | undefined {
    if (evacuees.length === 0) return undefined;
    const { cluster } = this;
    const board = new ScoreBoard(cluster, this.groupOf(node));
    const targets = this.escapeNodes(node);
    for (const evacuee of evacuees) {
      const { instance, placement } = evacuee;
      const moved = moveToBest(cluster, board, targets, [placement.primary], (target) =>
        moveTo(cluster, instance, placement, target, true),
      );
      if (!moved.ok) {
        const refused = (target: number) =>
          moveToRefusal(cluster, instance, placement, target, true);
        return this.stuck(node, instance, attempts(targets, refused), "no other node takes it");
      }
      board.refresh([placement.primary, moved.target]);
      evacuee.placement = moved.placement;
    }
    return undefined;
  }

  private recreateAll(node: number, evacuees: readonly Evacuee[]): Refusal | undefined {
    if (evacuees.length === 0) return undefined;
    const { cluster } = this;
    const board = new ScoreBoard(cluster, this.nodes);
    const targets = this.escapeNodes(node);
    for (const { instance, placement } of evacuees) {
      const { locationScore } = placement;
      const accepting = targets.filter((target) => !policyRefusal(cluster, instance, target));
      const placed = moveToBest(cluster, board, accepting, [], (target) => {
        const misfit = addPrimary(cluster, instance, instance.index, target, true, locationScore);
        if (misfit !== fits) return { ok: false, misfit };
        return { ok: true, placement: { primary: target, secondary: -1, locationScore } };
      });
      if (!placed.ok) {
        const refused = (target: number) =>
          policyRefusal(cluster, instance, target) ??
          primaryRefusal(cluster, instance, target, true);
        return this.stuck(node, instance, attempts(targets, refused), "no other node takes it");
      }
      board.refresh([placed.target]);
    }
    return undefined;
  }

  private stuck(
    node: number,
    { data }: Instance,
    refused: readonly Refusal[],
    why: string,
  ): Refusal {
    const shown = refused.slice(0, attemptsMax);
    const omitted = refused.length - shown.length;
    const reasons = shown.map(({ text }) => text);
    const more = omitted > 0 ? [`${omitted} more`] : [];
    const details = [...reasons, ...more].join("; ");
    const alone = refused.length === 0 && why === "no other node takes it";
    const finding: Finding = {
      rule: failN1,
      check: "emptying",
      instance: data.name,
      words: `cannot be emptied: ${data.name} has to leave, ${alone ? "there is no other node in its group" : why}${details && ` (${details})`}`,
    };
    return {
      ...refusal({ cluster: this.cluster, node, role: null }, finding),
      attempts: shown.map(attemptOf),
      attemptsOmitted: omitted,
    };
  }

  private groupOf(node: number): readonly number[] {
    const { nodesByGroup, facts } = this.cluster;
    return nodesByGroup[facts.groupOf[node] as number] as readonly number[];
  }

  private escapeNodes(node: number): readonly number[] {
    return this.groupOf(node).filter((other) => other !== node);
  }
}

const attempts = (
  targets: readonly number[],
  refused: (target: number) => Refusal | undefined,
): Refusal[] => targets.flatMap((target) => refused(target) ?? []);

const attemptOf = (found: Refusal): Attempt => {
  const { node, rule, check, value, limit } = found;
  return {
    node,
    rule,
    check,
    ...(value === undefined ? {} : { value }),
    ...(limit === undefined ? {} : { limit }),
    text: withoutNode(found),
  };
};
