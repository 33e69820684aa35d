/** A move of one instance off its nodes, with all its targets. Agrees with `moveInstance`. */
import type { Choice, EvacuationMode, MoveExplanation } from "@ganeti-ts/protocol";
import { groupAt } from "../allocate/group-choice.js";
import { failover, moveTo, replaceSecondary, type Seat } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import { explainChoice } from "./choice.js";
import { leftOut } from "./left-out.js";
import type { Looked } from "./looked.js";
import { failoverRefusal, moveToRefusal, replaceSecondaryRefusal } from "./move-refusal.js";
import { lookAtPairTargets } from "./pair-targets.js";
import { lookAtTargets, type TargetTrial } from "./target-candidates.js";

export interface Moving {
  readonly instance: Instance;
  readonly seat: Seat;
  readonly mode: EvacuationMode;
  /** Whose nodes are scored. */
  readonly group: number;
  readonly targets: readonly number[];
  readonly force: boolean;
  readonly listMax: number;
}

export interface MoveExplained {
  readonly move?: MoveExplanation;
  readonly choice: Choice | null;
  /** Why nothing was tried. */
  readonly reason: string | null;
}

/** @param winner where the instance goes, if it goes */
export function explainMove(
  cluster: Cluster,
  moving: Moving,
  winner: Seat | undefined,
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
  const looked = lookAt(cluster, moving, kind, winner);
  const group = groupAt(cluster, moving.group).name;
  const { feasible } = looked.field;
  const choice = winner
    ? explainChoice(cluster, { group: moving.group, looked, place: named(kind, winner) }, [])
    : null;
  const few =
    kind !== "failover" && targets.length < (kind === "replace-both" ? 2 : 1)
      ? ["there is no node to go to", "there is one node to go to, but two are needed"][
          targets.length
        ]
      : "every target is refused";
  const candidates = kind === "failover" ? [moving.seat.secondary] : targets;
  const others = leftOut(cluster, moving.group, candidates, (node) =>
    node === moving.seat.primary || node === moving.seat.secondary
      ? "the instance is on it"
      : "being left",
  );
  return {
    move: { group, kind, leftOut: kind === "failover" ? [] : others, field: looked.field },
    choice,
    reason: feasible === 0 ? (few ?? null) : null,
  };
}

type Kind = MoveExplanation["kind"];

/** An instance without a mirror on the nodes is named by one node. */
const named = (kind: Kind, seat: Seat) => (kind === "move" ? { ...seat, secondary: -1 } : seat);

function lookAt(cluster: Cluster, moving: Moving, kind: Kind, winner: Seat | undefined): Looked {
  const { targets, seat, group, listMax } = moving;
  const scored = cluster.nodesByGroup[group] as readonly number[];
  switch (kind) {
    case "replace-both":
      return lookAtPairTargets({ cluster, ...moving }, scored, winner, listMax);
    case "failover":
      return lookAtTargets(cluster, scored, [seat.secondary], failing(cluster, moving), listMax);
    case "move":
      return lookAtTargets(cluster, scored, targets, moveTrial(cluster, moving), listMax);
    case "replace-secondary":
      return lookAtTargets(cluster, scored, targets, replaceTrial(cluster, moving), listMax);
  }
}

const failing = (cluster: Cluster, { instance, seat, force }: Moving): TargetTrial => ({
  role: "primary",
  move: () => failover(cluster, instance, seat, force),
  refusal: () => failoverRefusal(cluster, instance, seat, force),
  place: () => ({ primary: seat.secondary, secondary: seat.primary }),
  left: [seat.primary, seat.secondary],
});

const moveTrial = (cluster: Cluster, { instance, seat, force }: Moving): TargetTrial => ({
  role: "primary",
  move: (target) => moveTo(cluster, instance, seat, target, force),
  refusal: (target) => moveToRefusal(cluster, instance, seat, target, force),
  place: (target) => ({ primary: target, secondary: -1 }),
  left: [seat.primary],
});

const replaceTrial = (cluster: Cluster, { instance, seat, force }: Moving): TargetTrial => ({
  role: "secondary",
  move: (target) => replaceSecondary(cluster, instance, seat, target, force),
  refusal: (target) => replaceSecondaryRefusal(cluster, instance, seat, target, force),
  place: (target) => ({ primary: seat.primary, secondary: target }),
  left: [seat.primary, seat.secondary],
});
