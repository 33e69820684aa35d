/**
 * Elementary moves of one instance. Each changes the cluster's nodes if every step is allowed, otherwise
 * nothing, and returns the new placement. Source: Ganeti, HTools/Cluster/Moves.hs.
 */
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { failMig, fits, type Misfit } from "./misfit.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "./placing.js";

/** Nodes of an instance. */
export interface Placement {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  /** Number of location tags its two nodes share. */
  readonly locationScore: number;
}

export type Moved =
  | { readonly ok: true; readonly placement: Placement }
  | { readonly ok: false; readonly misfit: Misfit };

export const placementOf = (cluster: Cluster, index: number): Placement => ({
  primary: cluster.primaryOf[index] as number,
  secondary: cluster.secondaryOf[index] as number,
  locationScore: cluster.locationScoreOf[index] as number,
});

/** Swaps primary and secondary, without checking that the secondary is online. */
export function failover(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  force: boolean,
): Moved {
  if (!cluster.migrationLegal(primary, secondary)) return { ok: false, misfit: failMig };
  const { index } = instance;
  const leaving = cluster.facts.offline[primary] === 1;
  return attempt(cluster, { primary: secondary, secondary: primary, locationScore }, () => {
    removePrimary(cluster, instance, index, primary, locationScore);
    removeSecondary(cluster, instance, index, secondary, primary);
    const forced = force || leaving;
    const misfit = addPrimary(cluster, instance, index, secondary, forced, locationScore);
    if (misfit !== fits) return misfit;
    return addSecondary(cluster, instance, index, primary, secondary, forced, leaving);
  });
}

/** Starts the instance on another node that can reach its disks. */
export function moveTo(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  target: number,
  force: boolean,
): Moved {
  if (!cluster.migrationLegal(primary, target)) return { ok: false, misfit: failMig };
  const { index } = instance;
  const forced = force || cluster.facts.offline[primary] === 1;
  return attempt(cluster, { primary: target, secondary, locationScore }, () => {
    const misfit = addPrimary(cluster, instance, index, target, forced, locationScore);
    if (misfit === fits) removePrimary(cluster, instance, index, primary, locationScore);
    return misfit;
  });
}

/** Copies the disks to another node, which becomes the secondary. */
export function replaceSecondary(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  target: number,
  force: boolean,
): Moved {
  const { index } = instance;
  const shared = cluster.sharedLocations(primary, target);
  const forced = force || cluster.facts.offline[secondary] === 1;
  return attempt(cluster, { primary, secondary: target, locationScore: shared }, () => {
    removePrimary(cluster, instance, index, primary, locationScore);
    removeSecondary(cluster, instance, index, secondary, primary);
    const misfit = addSecondary(cluster, instance, index, target, primary, forced);
    if (misfit !== fits) return misfit;
    return addPrimary(cluster, instance, index, primary, true, shared);
  });
}

/** Runs `steps`, and undoes all of them unless every one fits. */
export function attempt(cluster: Cluster, placement: Placement, steps: () => Misfit): Moved {
  const mark = cluster.mark();
  const misfit = steps();
  if (misfit === fits) return { ok: true, placement };
  cluster.rollback(mark);
  return { ok: false, misfit };
}
