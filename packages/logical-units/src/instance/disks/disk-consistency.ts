/** Consistency check of a disk on a node. */

import { diskOnNode } from "@ganeti-ts/config";
import type { RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

interface Where {
  readonly node: string;
  readonly isPrimary: boolean;
  /** Checks the node's own copy without that of its peer. */
  readonly ownCopy?: boolean;
}

/** Whether the disk has devices on nodes other than the primary. */
const isOnSecondaries = ({ dev_type }: Pick<RealDisk, "dev_type">): boolean =>
  dev_type === "drbd" || dev_type === "plain";

/** Checks the device and its children; a disk without devices on the node is consistent. */
export async function isDiskConsistent(
  world: World,
  instance: RealInstance,
  disk: RealDisk | RealDisk["children"][number],
  where: Where,
): Promise<boolean> {
  const now = world.config.snapshot;
  if (where.isPrimary || isOnSecondaries(disk)) {
    const answer = await ask(world, where.node, "blockdev_find", {
      disk: diskOnNode(now, instance, disk),
    });
    if (!answer.ok || answer.value === null) {
      const why = answer.ok ? "" : `: ${answer.message}`;
      warn(world, `Can't find disk on node ${nodeName(now, where.node)}${why}`);
      return false;
    }
    const { localDisk, degraded } = answer.value;
    if (where.ownCopy ? localDisk !== "ok" : degraded) return false;
  }
  for (const child of disk.children ?? []) {
    const inside = { node: where.node, isPrimary: where.isPrimary };
    if (!(await isDiskConsistent(world, instance, child, inside))) return false;
  }
  return true;
}
