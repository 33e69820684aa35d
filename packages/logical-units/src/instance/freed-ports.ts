/** Ports of removed disks, which return to the cluster's pool. */
import { type ConfigChange, putCluster, releasePorts } from "@ganeti-ts/config";
import type { ClusterObject, DiskObject } from "@ganeti-ts/protocol";

/** The port of a drbd disk. */
export function portOf({ dev_type, logical_id }: DiskObject): number | undefined {
  const port = dev_type === "drbd" ? logical_id?.[2] : undefined;
  return typeof port === "number" ? port : undefined;
}

export function portsFreed(
  cluster: ClusterObject,
  ports: readonly (number | undefined)[],
): readonly ConfigChange[] {
  const freed = ports.filter((port) => port !== undefined);
  return freed.length === 0 ? [] : [putCluster(releasePorts(cluster, freed))];
}
