/** Storage types that a cluster uses, and the locations of their units. */

import { refusalWithoutCode } from "@ganeti-ts/job-queue";
import { type ClusterObject, diskTraits } from "@ganeti-ts/protocol";

/** Types whose units can be listed. */
export const listedTypes = ["file", "sharedfile", "lvm-pv", "lvm-vg", "gluster"] as const;

/** Storage type of the first enabled disk template. */
export const defaultStorageType = ({ enabled_disk_templates }: ClusterObject): string =>
  diskTraits[enabled_disk_templates[0] ?? "diskless"].storage;

/** @throws OperationError unless an enabled template has that type */
export function checkStorageTypeEnabled(cluster: ClusterObject, type: string): void {
  // Physical volumes belong to no template of their own; they count as part of volume groups.
  const wanted = type === "lvm-pv" ? "lvm-vg" : type;
  const { enabled_disk_templates: enabled } = cluster;
  if (enabled.some((template) => diskTraits[template].storage === wanted)) return;
  throw refusalWithoutCode(
    `No disk template of storage type '${wanted}' is enabled in this cluster. Enabled disk templates are: ${enabled.join(",")}`,
  );
}

/** Arguments of calls about units of the type. */
export function storageArguments(
  cluster: ClusterObject,
  type: string,
): { readonly type: string; readonly directories: readonly string[] } {
  const { directory } = Object.values(diskTraits).find(({ storage }) => storage === type) ?? {};
  return { type, directories: directory === undefined ? [] : [cluster[directory]] };
}
