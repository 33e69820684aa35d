/**
 * Step-by-step simulation of emptying a node, as in Ganeti (HTools/GlobalN1.hs): mirrored instances fail
 * over, those whose disks can be reached from elsewhere move, and the others are re-created.
 */
import { moveToBest } from "../fit/best-target.js";
import { fits } from "../fit/misfit.js";
import { failover, moveTo, type Placement } from "../fit/move.js";
import { addPrimary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { ScoreBoard } from "../score/score-board.js";
import { type Evacuee, evacueesOf, type Newcomer } from "./evacuees.js";

export class EmptyingSteps {
  /** @param scored nodes whose score selects the targets of re-created instances */
  constructor(
    private readonly cluster: Cluster,
    private readonly newcomer: Newcomer,
    private readonly scored: readonly number[],
  ) {}

  /** Simulates the steps, and undoes them. */
  empties(node: number, placement: Placement): boolean {
    const { mirrored, moving, staying } = evacueesOf(this.cluster, node, this.newcomer, placement);
    const mark = this.cluster.mark();
    const emptied =
      mirrored.every((one) => this.failsOver(one)) &&
      this.moveAll(node, moving) &&
      this.recreateAll(node, staying);
    this.cluster.rollback(mark);
    return emptied;
  }

  private failsOver(evacuee: Evacuee): boolean {
    if (evacuee.placement.secondary < 0) return false;
    const moved = failover(this.cluster, evacuee.instance, evacuee.placement, true);
    if (moved.ok) evacuee.placement = moved.placement;
    return moved.ok;
  }

  private moveAll(node: number, evacuees: readonly Evacuee[]): boolean {
    if (evacuees.length === 0) return true;
    const { cluster } = this;
    const group = cluster.nodesByGroup[cluster.facts.groupOf[node] as number] as readonly number[];
    const board = new ScoreBoard(cluster, group);
    const targets = this.escapeNodes(node);
    return evacuees.every((evacuee) => {
      const { instance, placement } = evacuee;
      const moved = moveToBest(cluster, board, targets, [placement.primary], (target) =>
        moveTo(cluster, instance, placement, target, true),
      );
      if (!moved.ok) return false;
      board.refresh([placement.primary, moved.target]);
      evacuee.placement = moved.placement;
      return true;
    });
  }

  /** Re-creates each instance on another node; resources on the old node are not released. */
  private recreateAll(node: number, evacuees: readonly Evacuee[]): boolean {
    if (evacuees.length === 0) return true;
    const { cluster } = this;
    const board = new ScoreBoard(cluster, this.scored);
    const targets = this.escapeNodes(node);
    return evacuees.every(({ instance, placement }) => {
      const accepting = targets.filter(
        (target) => policyVerdict(cluster, instance, target) === fits,
      );
      const placed = moveToBest(cluster, board, accepting, [], (target) => {
        const { locationScore } = placement;
        const misfit = addPrimary(cluster, instance, instance.index, target, true, locationScore);
        if (misfit !== fits) return { ok: false, misfit };
        return { ok: true, placement: { primary: target, secondary: -1, locationScore } };
      });
      if (placed.ok) board.refresh([placed.target]);
      return placed.ok;
    });
  }

  /** All other nodes of the group, whatever their state. */
  private escapeNodes(node: number): readonly number[] {
    const { nodesByGroup, facts } = this.cluster;
    const group = nodesByGroup[facts.groupOf[node] as number] as readonly number[];
    return group.filter((other) => other !== node);
  }
}
