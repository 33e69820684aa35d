/** Which repairs the tags of an instance, of its primary's group and of the cluster allow. */
import { type Cluster, DataError, readInteger } from "@ganeti-ts/htools";

/** Kinds of repair, from the least destructive to the most. */
export const repairTypes = ["fix-storage", "migrate", "failover", "reinstall"] as const;
export type RepairType = (typeof repairTypes)[number];

export type RepairPolicy =
  /** Up to this type. */
  | { readonly kind: "enabled"; readonly upTo: RepairType }
  /** `until` in seconds since the epoch; undefined: for ever. */
  | { readonly kind: "suspended"; readonly until: number | undefined }
  | { readonly kind: "not-enabled" };

export const repairTagPrefix = "ganeti:watcher:autorepair:";
const suspendTag = `${repairTagPrefix}suspend`;

/**
 * The nearest of instance, group and cluster whose tags say something decides.
 * Source: Ganeti, HTools/Loader.hs, `setArPolicy`.
 */
export function repairPolicy(cluster: Cluster, index: number, nowSeconds: number): RepairPolicy {
  const { data } = cluster;
  const instance = data.instances[index] as (typeof data.instances)[number];
  const group = data.groups[data.nodes[instance.primary]?.groupIndex ?? -1];
  for (const tags of [instance.tags, group?.tags ?? [], data.tags]) {
    const policy = policyIn(tags, nowSeconds);
    if (policy !== undefined) return policy;
  }
  return { kind: "not-enabled" };
}

/** Suspension comes before permission; of permissions the least counts, of suspensions the longest. */
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

/** A time in a tag; undefined if it is none. */
export function secondsIn(text: string): number | undefined {
  try {
    return readInteger(text, "time");
  } catch (error) {
    if (error instanceof DataError) return undefined;
    throw error;
  }
}
