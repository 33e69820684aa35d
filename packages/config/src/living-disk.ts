/** livingDisk: a disk of the configuration that a claimed device is. */
import type { ChildDisk, DiskObject, NodeUuid } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/**
 * The disk to which a volume of the claimed device on the node belongs; undefined as it should be: names of claimed volumes are
 * those of no disk that exists.
 */
export function livingDisk(
  now: Snapshot,
  claimed: Pick<DiskObject, "dev_type" | "logical_id"> & {
    readonly children: readonly Pick<ChildDisk, "dev_type" | "logical_id">[];
  },
  node: NodeUuid,
): DiskObject | undefined {
  for (const { dev_type, logical_id } of [claimed, ...claimed.children]) {
    if (dev_type !== "plain" || logical_id === undefined) continue;
    for (const owner of now.keysOf("lv", node, logical_id.join("/"))) {
      const disk = now.find("disk", owner.split("/")[0] ?? "");
      if (disk !== undefined && !disk.forthcoming) return disk;
    }
  }
  return undefined;
}
