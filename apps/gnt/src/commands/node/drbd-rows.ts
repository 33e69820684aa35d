/** Mirrored disks of a node, from data of its instances. */
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";

/** Node, minor, instance, disk, role and the other node. */
export type DrbdRow = readonly [string, number, string, string, string, string];

type Disk = {
  readonly iv_name?: string;
  readonly drbd_info?: {
    readonly primary_node: string;
    readonly primary_minor: number;
    readonly secondary_node: string;
    readonly secondary_minor: number;
  } | null;
  readonly children?: readonly Json[];
};

/** `data`: the result of OP_INSTANCE_QUERY_DATA. Sorted by minor. */
export function drbdRows(node: string, data: JsonObject): readonly DrbdRow[] {
  const rows = Object.entries(data).flatMap(([name, instance]) => {
    const disks = isJsonObject(instance) ? ((instance.disks ?? []) as Disk[]) : [];
    return disks.flatMap((disk, at): DrbdRow[] => {
      const { drbd_info: info } = disk;
      if (!info) return [];
      const shown = disk.iv_name ?? `disk/${at}`;
      return info.primary_node === node
        ? [[node, info.primary_minor, name, shown, "primary", info.secondary_node]]
        : info.secondary_node === node
          ? [[node, info.secondary_minor, name, shown, "secondary", info.primary_node]]
          : [];
    });
  });
  return rows.toSorted((a, b) => a[1] - b[1]);
}
