/** mirrorsOf: states of the mirrored disks of an instance, reported by its primary node. */
import { diskOnNode, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import type { NodeAnswer, NodeBackend } from "@ganeti-ts/node-calls";
import type { RealInstance } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";

/** State of a mirrored disk. */
export interface MirrorState {
  /** Null unless it is synchronising. */
  readonly syncPercent: number | null;
  readonly estimatedSeconds: number | null;
  /** Whether one side is missing or out of date. */
  readonly degraded: boolean;
}

/**
 * Makes one call to the primary node. Null for disks that are not mirrored or not active; undefined if the instance does not
 * exist or is only reserved.
 */
export async function mirrorsOf(
  now: Snapshot,
  nodes: NodeBackend,
  name: string,
): Promise<NodeAnswer<readonly (MirrorState | null)[]> | undefined> {
  const instance = now.find("instance", name);
  if (instance === undefined || instance.forthcoming) return undefined;
  const real = instance as RealInstance;
  const disks = realDisksOf(now, real);
  const mirrored = disks.filter(({ dev_type }) => dev_type === "drbd");
  // Inactive devices have no state.
  if (mirrored.length === 0 || !real.disks_active)
    return { ok: true, value: disks.map(() => null) };
  const call = { disks: mirrored.map((disk) => diskOnNode(now, real, disk)) };
  const answer = await nodes.call(real.primary_node, "blockdev_getmirrorstatus", call, nobody);
  if (!answer.ok) return answer;
  const states = new Map(mirrored.map((disk, at) => [disk, answer.value[at]]));
  return { ok: true, value: disks.map((disk) => shown(states.get(disk))) };
}

function shown(state: MirrorState | undefined): MirrorState | null {
  if (state === undefined) return null;
  const { syncPercent, estimatedSeconds, degraded } = state;
  return { syncPercent, estimatedSeconds, degraded };
}
