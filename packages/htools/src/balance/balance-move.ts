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
  switch (move.kind) {
    case "failover":
      return failover(cluster, instance, placement, force);
    case "failover-to-any":
      return moveTo(cluster, instance, placement, move.target, force);
    case "replace-secondary":
      return replaceSecondary(cluster, instance, placement, move.target, force);
    case "replace-and-failover":
      return replaceAndFailover(cluster, instance, placement, move.target, force);
    case "replace-primary":
      return replacePrimary(cluster, instance, placement, move.target, force);
    case "failover-and-replace":
      return failoverAndReplace(cluster, instance, placement, move.target, force);
    case "change-both":
      return changeBoth(cluster, instance, placement, move, force);
  }
}

function replaceAndFailover(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  target: number,
  force: boolean,
): Moved {
  const { primary, secondary } = placement;
  if (!cluster.migrationLegal(primary, target)) return { ok: false, misfit: failMig };
  const after = placementOn(cluster, target, primary);
  const forced = force || cluster.facts.offline[secondary] === 1;
  return attempt(cluster, after, () => {
    leave(cluster, instance, placement);
    return settleOn(cluster, instance, after, force, forced);
  });
}

function replacePrimary(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  target: number,
  force: boolean,
): Moved {
  const { primary, secondary } = placement;
  const legal =
    cluster.migrationLegal(primary, secondary) && cluster.migrationLegal(secondary, target);
  if (!legal) return { ok: false, misfit: failMig };
  const after = placementOn(cluster, target, secondary);
  const forced = force || cluster.facts.offline[primary] === 1;
  return attempt(cluster, after, () => {
    leave(cluster, instance, placement);
    const { index } = instance;
    // Between the steps it runs on the secondary.
    const misfit = addPrimary(cluster, instance, index, secondary, forced, after.locationScore);
    if (misfit !== fits) return misfit;
    removePrimary(cluster, instance, index, secondary, after.locationScore);
    return settleOn(cluster, instance, after, forced, forced);
  });
}

function failoverAndReplace(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  target: number,
  force: boolean,
): Moved {
  const { primary, secondary } = placement;
  if (!cluster.migrationLegal(primary, secondary)) return { ok: false, misfit: failMig };
  const after = placementOn(cluster, secondary, target);
  const forced = force || cluster.facts.offline[primary] === 1;
  return attempt(cluster, after, () => {
    leave(cluster, instance, placement);
    return settleOn(cluster, instance, after, forced, forced);
  });
}

function changeBoth(
  cluster: Cluster,
  instance: Instance,
  placement: Placement,
  { primary, secondary }: Extract<BalanceMove, { kind: "change-both" }>,
  force: boolean,
): Moved {
  const after = placementOn(cluster, primary, secondary);
  return attempt(cluster, after, () => {
    leave(cluster, instance, placement);
    return settleOn(cluster, instance, after, force, force);
  });
}

const placementOn = (cluster: Cluster, primary: number, secondary: number): Placement => ({
  primary,
  secondary,
  locationScore: cluster.sharedLocations(primary, secondary),
});

function leave(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
): void {
  removePrimary(cluster, instance, instance.index, primary, locationScore);
  removeSecondary(cluster, instance, instance.index, secondary, primary);
}

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
