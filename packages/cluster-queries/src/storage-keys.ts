/** Storage of a node whose space is queried. */
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import type { StorageKey } from "@ganeti-ts/node-calls";
import {
  type ClusterObject,
  type DiskTemplate,
  type NodeObject,
  usesLvm,
  usesNodeSpace,
} from "@ganeti-ts/protocol";

/**
 * One for each enabled disk template with a default location, the first template's first; then, with
 * exclusive storage, the physical volumes, whose number is that of the spindles.
 */
export function storageKeysOf(now: Snapshot, node: NodeObject): readonly StorageKey[] {
  const { cluster } = now;
  const keys = new Map<string, StorageKey>();
  const exclusive = filledNdparams(now, node).exclusive_storage;
  for (const template of cluster.enabled_disk_templates) {
    const key = defaultKey(cluster, template);
    if (key !== undefined) keys.set(key.type, { exclusive, ...key });
  }
  const spindles = exclusive && cluster.volume_group_name;
  return [...keys.values(), ...(spindles ? [{ type: "lvm-pv", key: spindles, exclusive }] : [])];
}

function defaultKey(cluster: ClusterObject, template: DiskTemplate): StorageKey | undefined {
  if (!usesNodeSpace(template)) return undefined;
  if (!usesLvm(template)) return { type: "file", key: cluster.file_storage_dir };
  return cluster.volume_group_name ? { type: "lvm-vg", key: cluster.volume_group_name } : undefined;
}
