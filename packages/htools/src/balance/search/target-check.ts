/** Check whether a target can take an instance; `OwnNodeMeasurer` checks the instance's own nodes. */

import { primaryMisfit, secondaryMisfit } from "../../fit/fitting.js";
import { fits } from "../../fit/misfit.js";
import type { Cluster } from "../../model/cluster.js";
import { type PeerMap, peerMemory } from "../../model/peer-map.js";
import { accepts } from "./mirror-node.js";
import { kindAt } from "./move-kinds.js";
import type { Victim } from "./victim.js";

/** @param force skips the soft checks */
export function takes(
  cluster: Cluster,
  victim: Victim,
  kind: number,
  target: number,
  force: boolean,
): boolean {
  const { instance, oldPrimary, oldSecondary } = victim;
  const { primary, secondary } = victim.placement;
  const { offline } = cluster.facts;
  const leaving = force || offline[primary] === 1;
  const canRun = (from: number, forced: boolean) =>
    cluster.migrationLegal(from, target) &&
    primaryMisfit(cluster, instance, target, forced) === fits;
  const canMirror = (of: number, forced: boolean) =>
    secondaryMisfit(cluster, instance, target, of, forced) === fits;
  const reservedFor = (node: number) => peerMemory(cluster.peers[node] as PeerMap, target);
  switch (kind) {
    case kindAt.replaceSecondary:
      return canMirror(primary, force || offline[secondary] === 1);
    case kindAt.failoverAndReplace:
      return canMirror(secondary, leaving);
    case kindAt.replaceAndFailover: {
      if (!canRun(primary, force)) return false;
      if (force || offline[secondary] === 1 || oldPrimary === undefined) return true;
      return accepts(oldPrimary, reservedFor(primary), victim.needed);
    }
    case kindAt.replacePrimary:
      if (!canRun(secondary, leaving)) return false;
      if (leaving || oldSecondary === undefined) return true;
      return accepts(oldSecondary, reservedFor(secondary), victim.needed);
    default:
      return canRun(primary, leaving);
  }
}
