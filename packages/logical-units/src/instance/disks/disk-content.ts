/** Content of whole disks: zeros or an image, written while mirrors are paused. */
import { diskOnNode, realDisksOf } from "@ganeti-ts/config";
import { type RealDisk, type RealInstance, sizeText } from "@ganeti-ts/protocol";
import { ask, info, valueOrFail, warn } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import { setSyncPaused } from "./sync.js";

/** Largest chunk (MiB); a chunk is a tenth of the disk at most. */
const wipeChunkMaxMib = 1024;

/** Wipes the disks from `offsetMib` on. @throws ExecError */
export function wipeDisks(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  offsetMib = 0,
): Promise<void> {
  return withoutSync(context, instance, disks, async () => {
    for (const disk of disks) {
      const index = instance.disks.indexOf(disk.uuid);
      const range =
        offsetMib === 0 ? "" : ` (from ${sizeText(offsetMib)} to ${sizeText(disk.size)})`;
      info(context, `* Wiping disk ${index}${range}`);
      const chunkMib = Math.max(1, Math.floor(Math.min(wipeChunkMaxMib, disk.size / 10)));
      for (let at = offsetMib; at < disk.size; at += chunkMib) {
        const sizeMib = Math.min(chunkMib, disk.size - at);
        valueOrFail(
          await ask(context, instance.primary_node, "blockdev_wipe", {
            disk: diskOnNode(context.now, instance, disk),
            offsetMib: at,
            sizeMib,
          }),
          `Could not wipe disk ${index} at offset ${at} for size ${sizeMib}`,
        );
      }
    }
  });
}

/** Copies the image onto the first disk. @throws ExecError */
export function imageDisks(
  context: UnitContext,
  instance: RealInstance,
  image: string,
): Promise<void> {
  const { now } = context;
  const [disk] = realDisksOf(now, instance);
  if (disk === undefined) return Promise.resolve();
  return withoutSync(context, instance, [disk], async () => {
    const node = nodeName(now, instance.primary_node);
    const what = `disk '0' for instance '${instance.name}' on node '${node}'`;
    info(context, `Imaging ${what}`);
    valueOrFail(
      await ask(context, instance.primary_node, "blockdev_image", {
        disk: diskOnNode(now, instance, disk),
        image,
        sizeMib: disk.size,
      }),
      `Could not image ${what}`,
    );
  });
}

async function withoutSync(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  work: () => Promise<void>,
): Promise<void> {
  const node = nodeName(context.now, instance.primary_node);
  const pause = (isPaused: boolean) => setSyncPaused(context, instance, disks, isPaused);
  valueOrFail(await pause(true), `Failed to pause disk synchronization on node '${node}'`);
  try {
    await work();
  } finally {
    const resumed = await pause(false);
    if (!resumed.ok) {
      warn(context, `Failed to resume disk synchronization on node '${node}': ${resumed.message}`);
    }
  }
}
