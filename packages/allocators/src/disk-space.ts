/** Space that disks use on a node. */

/** Per mirrored disk, on both nodes. Ganeti's `DRBD_META_SIZE`. */
const drbdMetadataMib = 128;

/** MiB; adopted devices use none. Source: Ganeti, `ComputeDiskSize`. */
export const diskSpaceMib = (
  disks: readonly { readonly type: string | null; readonly size: number }[],
): number => disks.reduce((sum, { type, size }) => sum + spaceOf(type, size), 0);

function spaceOf(type: string | null, size: number): number {
  if (type === "drbd") return size + drbdMetadataMib;
  return type === "blockdev" ? 0 : size;
}
