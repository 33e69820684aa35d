/**
 * Repair policy of an instance: the repairs that its own tags, those of its primary's group and of the
 * cluster allow.
 */
import { type Cluster, DataError, readInteger } from "@ganeti-ts/htools";

/** Kinds of repair, from the least destructive to the most. */
export const repairTypes = ["fix-storage", "migrate", "failover", "reinstall"] as const;
export type RepairType = (typeof repairTypes)[number];

export type RepairPolicy =
  /** All types up to and including this one. */
  | { readonly kind: "enabled"; readonly upTo: RepairType }
  /** `until` in seconds since the epoch; undefined: without end. */
  | { readonly kind: "suspended"; readonly until: number | undefined }
  | { readonly kind: "not-enabled" };

export const repairTagPrefix = "ganeti:watcher:autorepair:";
const suspendTag = `${repairTagPrefix}suspend`;

/**
 * The first of instance, group and cluster that has a policy tag decides. Source: Ganeti, HTools/Loader.hs,
 * `setArPolicy`.
 */
export function repairPolicy(cluster: Cluster, index: number, nowSeconds: number): RepairPolicy {
  const { data } = cluster;
  const instance = data.instances[index] as (typeof data.instances)[number];
  const group = data.groups[data.nodes[instance.primary]?.groupIndex ?? -1];
  return firstPolicy([instance.tags, group?.tags ?? [], data.tags], nowSeconds);
}

/** Policy for a node itself: that of its group, else of the cluster. */
export function nodeRepairPolicy(
  { data }: Cluster,
  name: string,
  nowSeconds: number,
): RepairPolicy {
  const group = data.groups[data.nodes.find((node) => node.name === name)?.groupIndex ?? -1];
  return firstPolicy([group?.tags ?? [], data.tags], nowSeconds);
}

function firstPolicy(places: readonly (readonly string[])[], nowSeconds: number): RepairPolicy {
  for (const tags of places) {
    const policy = policyIn(tags, nowSeconds);
    if (policy !== undefined) return policy;
  }
  return { kind: "not-enabled" };
}

/**
 * A suspension overrides permissions; of several permissions the least destructive counts, of several
 * suspensions the longest.
 */
function policyIn(tags: readonly string[], nowSeconds: number): RepairPolicy | undefined {
  const suspensions = tags.flatMap((tag) => {
    if (tag === suspendTag) return [""];
    return tag.startsWith(`${suspendTag}:`) ? [tag.slice(suspendTag.length + 1)] : [];
  });
  if (suspensions.includes("")) return { kind: "suspended", until: undefined };
  const ends = suspensions.flatMap((text) => {
    const seconds = secondsIn(text);
    return seconds !== undefined && seconds > nowSeconds ? [seconds] : [];
  });
  if (ends.length > 0) return { kind: "suspended", until: Math.max(...ends) };
  const upTo = repairTypes.find((type) => tags.includes(repairTagPrefix + type));
  return upTo && { kind: "enabled", upTo };
}

/** Parses a time in a tag; undefined if it is not a number. */
export function secondsIn(text: string): number | undefined {
  try {
    return readInteger(text, "time");
  } catch (error) {
    if (error instanceof DataError) return undefined;
    throw error;
  }
}
