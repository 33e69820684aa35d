/** Refusals of elementary moves: the steps of `move.ts`, executed until one is refused. */
import type { Refusal } from "@ganeti-ts/protocol";
import { failMig } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { primaryRefusal } from "./primary-refusal.js";
import { nodeName, refusal } from "./refusal.js";
import { secondaryRefusal } from "./secondary-refusal.js";

export function failoverRefusal(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  force: boolean,
): Refusal | undefined {
  const illegal = migrationRefusal(cluster, primary, secondary);
  if (illegal) return illegal;
  const { index } = instance;
  const leaving = cluster.facts.offline[primary] === 1;
  const forced = force || leaving;
  return undone(cluster, () => {
    removePrimary(cluster, instance, index, primary, locationScore);
    removeSecondary(cluster, instance, index, secondary, primary);
    const refused = primaryRefusal(cluster, instance, secondary, forced);
    if (refused) return refused;
    addPrimary(cluster, instance, index, secondary, forced, locationScore);
    return secondaryRefusal(cluster, instance, primary, secondary, {
      force: forced,
      ignoreDisk: leaving,
    });
  });
}

export function moveToRefusal(
  cluster: Cluster,
  instance: Instance,
  { primary }: Placement,
  target: number,
  force: boolean,
): Refusal | undefined {
  const forced = force || cluster.facts.offline[primary] === 1;
  return (
    migrationRefusal(cluster, primary, target) ?? primaryRefusal(cluster, instance, target, forced)
  );
}

export function replaceSecondaryRefusal(
  cluster: Cluster,
  instance: Instance,
  { primary, secondary, locationScore }: Placement,
  target: number,
  force: boolean,
): Refusal | undefined {
  const { index } = instance;
  const forced = force || cluster.facts.offline[secondary] === 1;
  return undone(cluster, () => {
    removePrimary(cluster, instance, index, primary, locationScore);
    removeSecondary(cluster, instance, index, secondary, primary);
    const refused = secondaryRefusal(cluster, instance, target, primary, { force: forced });
    if (refused) return refused;
    addSecondary(cluster, instance, index, target, primary, forced);
    return primaryRefusal(cluster, instance, primary, true);
  });
}

function migrationRefusal(cluster: Cluster, from: number, to: number): Refusal | undefined {
  if (cluster.migrationLegal(from, to)) return undefined;
  const needed = cluster.facts.migrationTags[from] as readonly string[];
  const offered = cluster.facts.receivableTags[to] as readonly string[];
  const missing = needed.filter((tag) => !offered.includes(tag));
  const many = missing.length > 1 ? "tags" : "tag";
  const words = `does not accept migration ${many} ${missing.join(", ")} of ${nodeName(cluster, from)}`;
  const finding = { rule: failMig, check: "migration-tags", tags: missing, words } as const;
  return refusal({ cluster, node: to, role: "primary" }, finding);
}

function undone<T>(cluster: Cluster, look: () => T): T {
  const mark = cluster.mark();
  const seen = look();
  cluster.rollback(mark);
  return seen;
}
