/**
 * Placement order: an instance that a request wants placed, with the functions that add it to the cluster.
 */
import type { Wanted } from "@ganeti-ts/protocol";
import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { emptyingMargins, keepingMargins } from "../n1/emptying-margins.js";
import { followScores, keepScores } from "../score/kept-scores.js";
import type { Place } from "./allocation.js";

/** An instance to place, with the restrictions its request makes. */
export interface Order {
  readonly instance: Instance;
  readonly requiredNodes: number;
  /** Its current location score; 0 for a new instance. */
  readonly locationScore: number;
}

/** The order for a new instance. */
export const orderFor = (cluster: Cluster, { instance, requiredNodes }: Wanted): Order => ({
  instance: makeInstance(instance, -1, cluster.newcomerTagRules),
  requiredNodes,
  locationScore: 0,
});

/**
 * Prepares a cluster for a series of instances that are searched and admitted one after the other: each search then costs
 * O(nodes x components) instead of examining all nodes again. O(nodes + instances).
 */
export function expectSeries(cluster: Cluster): void {
  cluster.emptyingMargins ??= emptyingMargins(cluster);
  keepScores(cluster);
}

/** Adds a new instance to the cluster, on the nodes found. */
export function admit(
  cluster: Cluster,
  { instance }: Order,
  place: Place<unknown>,
  listedAs: number,
): void {
  const { primary, secondary, locationScore } = place;
  const change = () => {
    settlePlace(cluster, instance, listedAs, place);
    cluster.enlist(instance, primary, secondary, locationScore);
    return [primary, secondary];
  };
  // Nothing can be counted for an instance that is listed without its index.
  if (listedAs < 0) change();
  else keepingMargins(cluster, change);
  followScores(cluster, [primary, secondary]);
}

/** Moves the instance to the chosen nodes, permanently. */
export function settlePlace(
  cluster: Cluster,
  instance: Instance,
  listedAs: number,
  place: Place<unknown>,
): void {
  const { primary, secondary, locationScore } = place;
  addPrimary(cluster, instance, listedAs, primary, true, locationScore);
  if (secondary >= 0) addSecondary(cluster, instance, listedAs, secondary, primary, true);
  cluster.settle();
}
