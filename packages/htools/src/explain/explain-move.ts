/** Explanation of the move of one instance off its nodes, with all targets. Agrees with `moveInstance`. */
import type { Choice, MoveExplanation } from "@ganeti-ts/protocol";
import type { Moving } from "../allocate/evacuation.js";
import { groupAt } from "../allocate/group-choice.js";
import { failover, moveTo, type Placement, replaceSecondary } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Examined } from "./examination.js";
import { leftOut } from "./excluded-nodes.js";
import { explainChoice } from "./explain-choice.js";
import { failoverRefusal, moveToRefusal, replaceSecondaryRefusal } from "./move-refusal.js";
import { examinePairTargets } from "./pair-targets.js";
import { examineTargets, type TargetTrial } from "./target-candidates.js";

/** A move to explain. */
export interface ExplainedMoving extends Moving {
  readonly listMax: number;
}

export interface MoveExplained {
  readonly move?: MoveExplanation;
  readonly choice: Choice | null;
  /** Reason why nothing was tried. */
  readonly reason: string | null;
}

/** @param winner the chosen target, if there is one */
export function explainMove(
  cluster: Cluster,
  moving: ExplainedMoving,
  winner: Placement | undefined,
): MoveExplained {
  const { instance, mode, targets } = moving;
  const { diskTemplate } = instance.data;
  const mirrored = mirroring(diskTemplate);
  const nothing = (reason: string) => ({ choice: null, reason });
  if (mirrored === "none") return nothing(`${diskTemplate} instances have no copy to go on from`);
  if (mirrored === "external" && mode === "secondary-only") {
    return nothing(`${diskTemplate} instances have no secondary to change`);
  }
  const internal = mirrored === "internal";
  const kind = !internal
    ? "move"
    : mode === "primary-only"
      ? "failover"
      : mode === "all"
        ? "replace-both"
        : "replace-secondary";
  const examined = examine(cluster, moving, kind, winner);
  const group = groupAt(cluster, moving.group).name;
  const { feasible } = examined.field;
  const choice = winner
    ? explainChoice(cluster, { group: moving.group, examined, place: named(kind, winner) }, [])
    : null;
  const few =
    kind !== "failover" && targets.length < (kind === "replace-both" ? 2 : 1)
      ? ["there is no node to go to", "there is one node to go to, but two are needed"][
          targets.length
        ]
      : "every target is refused";
  const candidates = kind === "failover" ? [moving.placement.secondary] : targets;
  const others = leftOut(cluster, moving.group, candidates, (node) =>
    node === moving.placement.primary || node === moving.placement.secondary
      ? "the instance is on it"
      : "being left",
  );
  return {
    move: { group, kind, leftOut: kind === "failover" ? [] : others, field: examined.field },
    choice,
    reason: feasible === 0 ? (few ?? null) : null,
  };
}

type Kind = MoveExplanation["kind"];

/** For an instance without a mirror, the node as a name. */
const named = (kind: Kind, placement: Placement) =>
  kind === "move" ? { ...placement, secondary: -1 } : placement;

function examine(
  cluster: Cluster,
  moving: ExplainedMoving,
  kind: Kind,
  winner: Placement | undefined,
): Examined {
  const { targets, placement, group, listMax } = moving;
  const scored = cluster.nodesByGroup[group] as readonly number[];
  switch (kind) {
    case "replace-both":
      return examinePairTargets({ cluster, ...moving }, scored, winner, listMax);
    case "failover":
      return examineTargets(
        cluster,
        scored,
        [placement.secondary],
        failoverTrial(cluster, moving),
        listMax,
      );
    case "move":
      return examineTargets(cluster, scored, targets, moveTrial(cluster, moving), listMax);
    case "replace-secondary":
      return examineTargets(cluster, scored, targets, replaceTrial(cluster, moving), listMax);
  }
}

const failoverTrial = (
  cluster: Cluster,
  { instance, placement, force }: ExplainedMoving,
): TargetTrial => ({
  role: "primary",
  move: () => failover(cluster, instance, placement, force),
  refusal: () => failoverRefusal(cluster, instance, placement, force),
  place: () => ({ primary: placement.secondary, secondary: placement.primary }),
  left: [placement.primary, placement.secondary],
});

const moveTrial = (
  cluster: Cluster,
  { instance, placement, force }: ExplainedMoving,
): TargetTrial => ({
  role: "primary",
  move: (target) => moveTo(cluster, instance, placement, target, force),
  refusal: (target) => moveToRefusal(cluster, instance, placement, target, force),
  place: (target) => ({ primary: target, secondary: -1 }),
  left: [placement.primary],
});

const replaceTrial = (
  cluster: Cluster,
  { instance, placement, force }: ExplainedMoving,
): TargetTrial => ({
  role: "secondary",
  move: (target) => replaceSecondary(cluster, instance, placement, target, force),
  refusal: (target) => replaceSecondaryRefusal(cluster, instance, placement, target, force),
  place: (target) => ({ primary: placement.primary, secondary: target }),
  left: [placement.primary, placement.secondary],
});
