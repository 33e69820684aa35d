/** Places of disks: directories of files, one side of a mirror, ports. */
import { type ConfigChange, putCluster, releasePorts } from "@ganeti-ts/config";
import type { ClusterObject, DiskObject, NodeUuid, RealDisk } from "@ganeti-ts/protocol";

/** Directory of a file-based disk. */
export const directoryOf = (disk: Pick<RealDisk, "logical_id">): string =>
  String(disk.logical_id[1]).replace(/\/[^/]*$/, "");

/**
 * The disk reduced to that node, so that its removal does not affect the other side. Disks without
 * mirrors stay unchanged.
 */
export function onlyOn<Disk extends Pick<RealDisk, "dev_type" | "logical_id">>(
  node: NodeUuid,
  disk: Disk,
): Disk & { readonly nodes: RealDisk["nodes"] } {
  if (disk.dev_type !== "drbd") return { ...disk, nodes: [node] };
  const [nodeA, , , minorA = null, minorB = null, secret = null] = disk.logical_id;
  const minor = node === nodeA ? minorA : minorB;
  return { ...disk, nodes: [node], logical_id: [node, null, null, minor, null, secret] };
}

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
