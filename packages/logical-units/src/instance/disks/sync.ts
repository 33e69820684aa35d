/** Synchronisation of an instance's mirrored disks, and the wait for it. */

import { diskOnNode, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import { type NodeUuid, pause, type RealDisk, type RealInstance } from "@ganeti-ts/protocol";
import { ask, info, secondsText, warn } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";
import { nodeName } from "../state.js";

/** Retries of a mirror that is complete but degraded, one second apart: it may be about to connect. */
const degradedRetries = 10;
const callRetries = 10;

/** Pauses the synchronisation of mirrors on a node, or resumes it; each node has its own pause. Default: the primary. */
export const setSyncPaused = (
  caller: Parameters<typeof ask>[0] & { readonly now: Snapshot },
  instance: RealInstance,
  disks: readonly RealDisk[],
  isPaused: boolean,
  node: NodeUuid = instance.primary_node,
) =>
  ask(caller, node, "blockdev_pause_resume_sync", {
    disks: disks.map((disk) => diskOnNode(caller.now, instance, disk)),
    pause: isPaused,
  });

/**
 * True once no mirror is degraded; with `oneshot`, checks once and accepts a mirror that is
 * synchronising. @throws RemoteError if the primary does not answer for a minute.
 */
export async function waitForSync(
  world: World,
  instance: RealInstance,
  { disks, oneshot = false }: { disks?: readonly RealDisk[]; oneshot?: boolean } = {},
): Promise<boolean> {
  const now = world.config.snapshot;
  if (instance.disks.length === 0 || disks?.length === 0) return true;
  const mirrors = (disks ?? realDisksOf(now, instance)).filter(
    ({ dev_type }) => dev_type === "drbd",
  );
  if (!oneshot) info(world, `Waiting for instance ${instance.name} to sync disks`);
  const node = nodeName(now, instance.primary_node);
  let retriesLeft = degradedRetries;
  let failures = 0;
  for (;;) {
    const answer = await ask(world, instance.primary_node, "blockdev_getmirrorstatus", {
      disks: mirrors.map((disk) => diskOnNode(now, instance, disk)),
    });
    if (!answer.ok) {
      warn(world, `Can't get any data from node ${node}: ${answer.message}`);
      if (++failures >= callRetries) {
        const text = `Can't contact node ${node} for mirror data, aborting.`;
        throw new OperationError("RemoteError", [text]);
      }
      await pause(world.clock, 6000, world.signal);
      continue;
    }
    failures = 0;
    let isDone = true;
    let isDegraded = false;
    let waitSeconds = 0;
    for (const [at, { degraded, syncPercent, estimatedSeconds }] of answer.value.entries()) {
      if (syncPercent === null) {
        isDegraded ||= degraded;
        continue;
      }
      isDone = false;
      waitSeconds = estimatedSeconds ?? 5;
      const remaining =
        estimatedSeconds === null
          ? "no time estimate"
          : `${secondsText(estimatedSeconds)} remaining (estimated)`;
      const percent = syncPercent.toFixed(2).padStart(5);
      info(world, `- device ${mirrors[at]?.iv_name}: ${percent}% done, ${remaining}`);
    }
    if ((isDone || oneshot) && isDegraded && retriesLeft > 0) {
      retriesLeft--;
      await pause(world.clock, 1000, world.signal);
      continue;
    }
    if (isDone || oneshot) {
      if (isDone) info(world, `Instance ${instance.name}'s disks are in sync`);
      return !isDegraded;
    }
    await pause(world.clock, Math.min(60, waitSeconds) * 1000, world.signal);
  }
}
