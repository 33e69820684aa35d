/** Assessment whether an instance fits, with the reasons of refusals, without placing it. */

import { peerReservations } from "../allocate/peer-reservations.js";
import {
  memoryReservedFor,
  primaryMisfit,
  reservationMisfit,
  secondaryMisfit,
} from "../fit/fitting.js";
import { fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { CapacityScope } from "./scope.js";

export interface Assessment {
  /** Candidates, single nodes or pairs, that cannot take the instance, by their first misfit. */
  readonly failures: MisfitCounts;
  /** Number of candidates that can. */
  readonly feasible: number;
}

/** Cost: O(nodes), for pairs O(nodes + pairs of nodes that share instances). */
export function assess(cluster: Cluster, scope: CapacityScope, instance: Instance): Assessment {
  const failures = new MisfitCounts();
  let feasible = 0;
  for (const nodes of scope.groups) {
    feasible +=
      scope.copies === 1
        ? assessNodes(cluster, nodes, instance, failures)
        : assessPairs(cluster, nodes, instance, failures);
  }
  return { failures, feasible };
}

/** The policy is checked first, then the node's resources. */
export function singleMisfits(
  cluster: Cluster,
  nodes: readonly number[],
  instance: Instance,
): Misfit[] {
  const { groupOf, exclusiveStorage } = cluster.facts;
  const byKind = new Map<number, Misfit>();
  return nodes.map((node) => {
    const kind = 2 * (groupOf[node] as number) + (exclusiveStorage[node] as number);
    let misfit = byKind.get(kind);
    if (misfit === undefined) {
      misfit = policyVerdict(cluster, instance, node);
      byKind.set(kind, misfit);
    }
    return misfit === fits ? primaryMisfit(cluster, instance, node, false) : misfit;
  });
}

function assessNodes(
  cluster: Cluster,
  nodes: readonly number[],
  instance: Instance,
  failures: MisfitCounts,
): number {
  let feasible = 0;
  for (const misfit of singleMisfits(cluster, nodes, instance)) {
    if (misfit === fits) feasible++;
    else failures.add(misfit);
  }
  return feasible;
}

/**
 * A primary that does not fit fails in all its pairs. For the others, the verdict of a secondary does not
 * depend on the primary unless the secondary already reserves memory for it.
 */
function assessPairs(
  cluster: Cluster,
  nodes: readonly number[],
  instance: Instance,
  failures: MisfitCounts,
): number {
  const primaries: number[] = [];
  for (const [at, misfit] of singleMisfits(cluster, nodes, instance).entries()) {
    if (misfit === fits) primaries.push(nodes[at] as number);
    else failures.add(misfit, nodes.length - 1);
  }
  if (primaries.length === 0) return 0;
  const isPrimary = new Uint8Array(cluster.nodeCount);
  for (const node of primaries) isPrimary[node] = 1;
  const needed = memoryReservedFor(instance);
  let feasible = 0;
  for (const secondary of nodes) {
    const usual = secondaryMisfit(cluster, instance, secondary, -1, false);
    let unrelated = primaries.length - (isPrimary[secondary] as number);
    for (const { node: primary, mib } of peerReservations(cluster, instance, secondary)) {
      if (isPrimary[primary] === 0) continue;
      unrelated--;
      // The verdict is that for unrelated nodes, except for the reservation.
      const misfit =
        usual === fits
          ? reservationMisfit(cluster, secondary, mib + needed)
          : secondaryMisfit(cluster, instance, secondary, primary, false);
      if (misfit === fits) feasible++;
      else failures.add(misfit);
    }
    if (usual === fits) feasible += unrelated;
    else failures.add(usual, unrelated);
  }
  return feasible;
}
