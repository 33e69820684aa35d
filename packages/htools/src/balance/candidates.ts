/** Candidate moves of an instance, in the order in which balancing considers them. */
import { isMirrored } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { ClusterView } from "../model/cluster-views.js";
import { mirroring } from "../model/disk-template.js";
import type { Instance } from "../model/instance.js";
import type { BalanceMove, TargetedKind } from "./balance-move.js";
import type { BalanceOptions } from "./balance-options.js";

/** First the failover, then for every target each kind in turn. */
export interface Candidates {
  readonly failover: boolean;
  readonly kinds: readonly TargetedKind[];
}

const secondaryOnly: readonly TargetedKind[] = ["replace-secondary"];
const everyKind: readonly TargetedKind[] = [
  "replace-secondary",
  "replace-and-failover",
  "replace-primary",
  "failover-and-replace",
];

/**
 * Empty for a drbd instance without a secondary, on which Ganeti crashes. Source: Ganeti, HTools/Cluster.hs,
 * `possibleMoves` and `checkInstanceMove`.
 */
export function candidatesOf(
  cluster: Cluster,
  instance: Instance,
  options: BalanceOptions,
): Candidates {
  const { offline } = cluster.facts;
  const { diskMoves, instanceMoves, restrictedMigration } = options;
  const mirrored = mirroring(instance.data.diskTemplate);
  if (mirrored === "none") return { failover: false, kinds: [] };
  if (mirrored === "external") {
    return { failover: false, kinds: instanceMoves ? ["failover-to-any"] : [] };
  }
  const secondary = cluster.secondaryOf[instance.index] as number;
  if (secondary < 0) return { failover: false, kinds: [] };
  const leaving = offline[cluster.primaryOf[instance.index] as number] === 1;
  const failover = instanceMoves && offline[secondary] === 0;
  const restricted = restrictedMigration && !leaving;
  if (!diskMoves) return { failover, kinds: [] };
  if (!instanceMoves || restricted) return { failover, kinds: secondaryOnly };
  if (!failover) return { failover, kinds: ["replace-secondary", "replace-and-failover"] };
  const kinds = restrictedMigration
    ? everyKind.filter((kind) => kind !== "replace-primary")
    : everyKind;
  return { failover, kinds };
}

/** Whether a forthcoming instance may change both nodes at once: only if no option restricts its moves. */
export function mayChangeBoth(
  cluster: Cluster,
  instance: Instance,
  options: BalanceOptions,
): boolean {
  const { index, forthcoming } = instance;
  if (!forthcoming || !isMirrored(instance.data.diskTemplate)) return false;
  const leaving = cluster.facts.offline[cluster.primaryOf[index] as number] === 1;
  const isFree = !options.restrictedMigration || leaving;
  return options.diskMoves && options.instanceMoves && isFree;
}

/** Online nodes an instance can move to, in index order. */
export function targetsOf(
  cluster: Cluster,
  { index }: Instance,
  online: readonly number[],
): readonly number[] {
  const primary = cluster.primaryOf[index];
  const secondary = cluster.secondaryOf[index];
  return online.filter((node) => node !== primary && node !== secondary);
}

/** Every move considered for an instance, in the order in which the first of equals wins. */
export function* movesOf(
  cluster: Cluster,
  instance: Instance,
  online: readonly number[],
  options: BalanceOptions,
): Generator<BalanceMove> {
  const { failover, kinds } = candidatesOf(cluster, instance, options);
  if (failover) yield { kind: "failover" };
  if (kinds.length === 0) return;
  for (const target of targetsOf(cluster, instance, online)) {
    for (const kind of kinds) yield { kind, target };
  }
}

/** The instances of a view that balancing can ever move, in index order. */
export function movableInstances(cluster: Cluster, view: ClusterView): readonly number[] {
  return view.instances.filter((index) => {
    const { data } = cluster.instances[index] as Instance;
    return cluster.movable[index] === 1 && data.autoBalance;
  });
}

/** Whether a node of the instance is offline. */
export function isOnOffline(cluster: Cluster, index: number): boolean {
  const { offline } = cluster.facts;
  const { data } = cluster.instances[index] as Instance;
  if (offline[cluster.primaryOf[index] as number] === 1) return true;
  const mirrored = isMirrored(data.diskTemplate);
  return mirrored && offline[cluster.secondaryOf[index] as number] === 1;
}
