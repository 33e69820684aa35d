/**
 * Moves of balancing. For a drbd instance on primary P and secondary S, with target t:
 *
 * | kind                 | becomes (primary, secondary) |
 * | -------------------- | ---------------------------- |
 * | failover             | S, P                         |
 * | replace-secondary    | P, t                         |
 * | replace-and-failover | t, P                         |
 * | replace-primary      | t, S                         |
 * | failover-and-replace | S, t                         |
 *
 * failover-to-any starts an instance with external disks on t. change-both gives a reservation two
 * other nodes at once; nothing of it is anywhere yet.
 */

import { failMig, fits, type Misfit } from "../fit/misfit.js";
import {
  attempt,
  failover,
  type Moved,
  moveTo,
  type Placement,
  replaceSecondary,
} from "../fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";

export type TargetedKind =
  | "failover-to-any"
  | "replace-secondary"
  | "replace-and-failover"
  | "replace-primary"
  | "failover-and-replace";

/** A move of one instance: failover, replacement of the secondary, or combinations of the two. */
export type BalanceMove =
  | { readonly kind: "failover" }
  | { readonly kind: TargetedKind; readonly target: number }
  | { readonly kind: "change-both"; readonly primary: number; readonly secondary: number };

/**
 * Makes the move if every step of it is allowed, otherwise changes nothing. A move away from an offline node
 * skips the soft checks. Source: Ganeti, HTools/Cluster/Moves.hs, `applyMoveEx`.
 *
 * @param force skips the soft checks
 */
export function makeMove(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  move: BalanceMove,
  force: boolean,
): Moved {
  const { primary, secondary } = placement;
  const { offline } = cluster.facts;
  const leaving = force || offline[primary] === 1;
  const isLegal = (from: number, to: number) => cluster.migrationLegal(from, to);
  const change = (first: number, second: number, settle: (after: Placement) => Misfit) => {
    const locationScore = cluster.sharedLocations(first, second);
    const after = { primary: first, secondary: second, locationScore };
    return attempt(cluster, after, () => {
      removePrimary(cluster, instance, instance.index, primary, placement.locationScore);
      removeSecondary(cluster, instance, instance.index, secondary, primary);
      return settle(after);
    });
  };
  switch (move.kind) {
    case "failover":
      return failover(cluster, instance, placement, force);
    case "failover-to-any":
      return moveTo(cluster, instance, placement, move.target, force);
    case "replace-secondary":
      return replaceSecondary(cluster, instance, placement, move.target, force);
    case "replace-and-failover": {
      if (!isLegal(primary, move.target)) return illegal;
      const mirrorForced = force || offline[secondary] === 1;
      return change(move.target, primary, (after) =>
        settleOn(cluster, instance, after, force, mirrorForced),
      );
    }
    case "replace-primary":
      if (!isLegal(primary, secondary) || !isLegal(secondary, move.target)) return illegal;
      return change(move.target, secondary, (after) => {
        const { index } = instance;
        // Between the steps it runs on the secondary.
        const misfit = addPrimary(
          cluster,
          instance,
          index,
          secondary,
          leaving,
          after.locationScore,
        );
        if (misfit !== fits) return misfit;
        removePrimary(cluster, instance, index, secondary, after.locationScore);
        return settleOn(cluster, instance, after, leaving, leaving);
      });
    case "failover-and-replace":
      if (!isLegal(primary, secondary)) return illegal;
      return change(secondary, move.target, (after) =>
        settleOn(cluster, instance, after, leaving, leaving),
      );
    case "change-both":
      return change(move.primary, move.secondary, (after) =>
        settleOn(cluster, instance, after, force, force),
      );
  }
}

const illegal: Moved = { ok: false, misfit: failMig };

function settleOn(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  forcePrimary: boolean,
  forceSecondary: boolean,
): Misfit {
  const { index } = instance;
  const misfit = addPrimary(cluster, instance, index, primary, forcePrimary, locationScore);
  if (misfit !== fits) return misfit;
  return addSecondary(cluster, instance, index, secondary, primary, forceSecondary);
}
