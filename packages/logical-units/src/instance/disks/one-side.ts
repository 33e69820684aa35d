/** One side of a mirrored disk. */
import type { NodeUuid, RealDisk } from "@ganeti-ts/protocol";

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
