/** Calls about the local storage of mirrors and about their synchronisation. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { handlers } from "../../handlers.js";
import { type DiskTypes, foundDevice, foundDevices } from "../disk-types.js";
import { runOrFail } from "../programs.js";
import { hasStorage } from "./assembly.js";
import { storageOf } from "./drbd-disk.js";
import { attach, checkMetaSize, initMeta, setupOf } from "./drbdsetup.js";
import { type Kernel, kernel } from "./kernel.js";
import { minorMax, mirrorOf } from "./mirror.js";

export function childrenCalls(context: NodeContext, types: DiskTypes) {
  const drbd = kernel(context);
  return handlers({
    async blockdev_addchildren({ disk, children }) {
      const of = await foundMirror(types, disk, "add");
      const setup = await setupOf(context, of.minor);
      if (children.length !== 2) {
        throw new NodeFailure(`${of.title}: need two devices for AddChildren`);
      }
      const storage = storageOf(await foundDevices(types, children));
      if (storage === null)
        throw new NodeFailure(`${of.title}: children are not ready during AddChildren`);
      if (hasStorage(setup, storage)) return;
      if (setup.data !== null) {
        throw new NodeFailure(`${of.title}: already attached to a local disk`);
      }
      await checkMetaSize(context, storage.meta);
      // Metadata is written under a free minor, because drbdmeta refuses one that is up.
      await initMeta(context, await freeMinor(drbd), storage.meta);
      await attach(context, of, storage);
    },

    async blockdev_removechildren({ disk, children }) {
      const of = await foundMirror(types, disk, "remove");
      const { data, meta } = await setupOf(context, of.minor);
      if (data === null) return;
      for (const [at, path] of [data, meta].entries()) {
        const child = children[at];
        const given = child && (await types(child).find(child))?.path;
        // The path of a child whose volume is gone is derived from its name.
        const wanted =
          given ?? (child?.dev_type === "plain" ? `/dev/${child.logical_id.join("/")}` : null);
        if (path === wanted) continue;
        throw new NodeFailure(
          `${of.title}: mismatch in local storage (${path} != ${wanted}) in RemoveChildren`,
        );
      }
      await runOrFail(
        context.run,
        ["drbdsetup", "detach", String(of.minor)],
        `${of.title}: can't detach local disk: `,
      );
    },

    async blockdev_pause_resume_sync({ disks, pause }) {
      const results: { ok: boolean; message: string | null }[] = [];
      for (const disk of disks) results.push(await pausedOrResumed(types, disk, pause));
      return results;
    },
  });
}

async function foundMirror(types: DiskTypes, disk: DiskOnNode, what: string) {
  if (disk.dev_type !== "drbd") {
    throw new NodeFailure(`Can't ${what} children of a disk of type ${disk.dev_type}`);
  }
  await foundDevice(types, disk);
  return mirrorOf(disk);
}

/** Number of a minor that exists and is not configured, or the next number after the highest one. */
async function freeMinor(drbd: Kernel): Promise<number> {
  const { minors } = await drbd.state();
  for (const [minor, state] of minors) if (state === null) return minor;
  const next = Math.max(-1, ...minors.keys()) + 1;
  if (next > minorMax) throw new NodeFailure("Can't find a free DRBD minor");
  return next;
}

async function pausedOrResumed(
  types: DiskTypes,
  disk: DiskOnNode,
  pause: boolean,
): Promise<{ ok: boolean; message: string | null }> {
  const title = disk.iv_name ?? disk.uuid;
  const type = types(disk);
  try {
    if ((await type.find(disk)) === null) {
      return { ok: false, message: `Cannot change sync for device ${title}: device not found` };
    }
    await type.pauseSync?.(disk, pause);
    return { ok: true, message: null };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const what = `${pause ? "Pause" : "Resume"} for device ${title} failed`;
    return { ok: false, message: `${what}: ${error.message}` };
  }
}
