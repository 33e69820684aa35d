/** Calls that create, assemble, open, shut down and remove block devices. Children come first. */
import {
  type AssembledDevice,
  type DiskCalls,
  type DiskOnNode,
  diskText,
} from "@ganeti-ts/node-calls";
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { ifFailed, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import type { DiskCache } from "./disk-cache.js";
import type { DiskLinks } from "./disk-links.js";
import type { Device, DiskType } from "./disk-type.js";
import { checkParameters, childrenOf, type DiskTypes, foundDevices } from "./disk-types.js";
import { all, attempt } from "./failures.js";

const removeTries = { everyMs: 3_000, forMs: 30_000 };

export const lifeCalls = (
  context: NodeContext,
  types: DiskTypes,
  { links, cache }: { readonly links: DiskLinks; readonly cache: DiskCache },
) =>
  handlers({
    async blockdev_create(args) {
      const path = await create(types, args);
      await cache.note(path, args.owner, args.onPrimary, args.disk);
      return args.disk.logical_id;
    },

    blockdev_assemble: ({ disk, instance, asPrimary, index }) =>
      attempt("Error while assembling disk", async (): Promise<AssembledDevice> => {
        const device = await assembled(types, disk, asPrimary);
        await cache.note(device?.path ?? null, instance.name, asPrimary, disk);
        if (!asPrimary || device === null)
          return { path: device?.path ?? null, link: null, uri: null };
        const { path, uri } = device;
        const link = path === null ? null : await links.make(instance.name, index, path);
        return { path, link, uri };
      }),

    blockdev_shutdown: ({ disk }) =>
      all([disk, ...childrenOf(disk)], async (one) => {
        const path = one === disk ? ((await foundOrNull(types, one))?.path ?? null) : null;
        await types(one).shutdown(one);
        await links.removeTo(path);
        await cache.forget(path);
      }),

    async blockdev_remove({ disk }) {
      await all([disk, ...childrenOf(disk)], async (one) => {
        const device = await foundOrNull(types, one);
        await removed(context, types(one), one, device === null ? 0 : removeTries.forMs);
        const path = device?.path ?? null;
        // If the creation of the instance was given up, nothing else removes these links.
        await links.removeTo(path);
        await cache.forget(path);
      });
    },

    async blockdev_open({ disks, owner, exclusive }) {
      const devices = await foundDevices(types, disks);
      await all(
        [...disks.entries()],
        async ([index, disk]) => {
          await types(disk).open(disk, { force: false, exclusive });
          const { path } = devices[index] as Device;
          if (path !== null) await links.make(owner, index, path);
        },
        (messages) => `Can't open devices: ${messages.join(",")}`,
      );
    },

    async blockdev_close({ disks, owner }) {
      await foundDevices(types, disks);
      await all(
        disks,
        (disk) => types(disk).close(disk),
        (messages) => `Can't close devices: ${messages.join(",")}`,
      );
      for (const index of disks.keys()) await links.remove(owner, index);
    },
  });

/** Disk types that do not support exclusive storage, with their names in messages. */
const notExclusive: Readonly<Record<DiskOnNode["dev_type"], string | undefined>> = {
  plain: undefined,
  drbd: "DRBD",
  file: "FileStorage",
  sharedfile: "FileStorage",
  gluster: "Gluster",
  blockdev: "Persistent block",
  rbd: "RBD",
  ext: "extstorage",
};

type Creation = DiskCalls["blockdev_create"]["arguments"];

/** Creates the disk; returns the path of its device if it was assembled as well. */
async function create(
  types: DiskTypes,
  { disk, sizeMib, ...args }: Creation,
): Promise<string | null> {
  const { onPrimary, info, exclusiveStorage } = args;
  const type = types(disk);
  checkParameters(type, disk);
  const title = notExclusive[disk.dev_type];
  if (exclusiveStorage && title !== undefined) {
    throw new Error(`${title} device requested with exclusive_storage`);
  }
  const children: Device[] = [];
  for (const child of childrenOf(disk)) {
    const device = await attempt(`Can't assemble device ${diskText(child)}`, () =>
      assembled(types, child, onPrimary),
    );
    if (device === null) continue;
    children.push(device);
    if (onPrimary || type.isAssembledOnSecondary) {
      await attempt(`Can't make child '${diskText(child)}' read-write`, () =>
        types(child).open(child, { force: false, exclusive: false }),
      );
    }
  }
  await attempt("Can't create block device", () =>
    type.create(disk, { sizeMib, exclusiveStorage, children }),
  );
  let path: string | null = null;
  if (onPrimary || type.isAssembledOnSecondary) {
    path = await attempt("Can't assemble device after creation, unusual event", async () => {
      return (await type.assemble(disk, children)).path;
    });
    if (onPrimary || type.isOpenedOnSecondary) {
      await attempt("Can't make device r/w after creation, unusual event", () =>
        type.open(disk, { force: true, exclusive: false }),
      );
    }
  }
  await type.setInfo(disk, info);
  return path;
}

/** Current device of a disk; null if there is none or the lookup fails. */
const foundOrNull = (types: DiskTypes, disk: DiskOnNode): Promise<Device | null> =>
  types(disk).find(disk).catch(ifFailed(null));

/** Assembles the disk; null if its type needs no device on a secondary node. */
async function assembled(
  types: DiskTypes,
  disk: DiskOnNode,
  asPrimary: boolean,
): Promise<Device | null> {
  const type = types(disk);
  checkParameters(type, disk);
  const children: (Device | null)[] = [];
  const faults: string[] = [];
  for (const child of childrenOf(disk)) {
    try {
      children.push(await assembled(types, child, asPrimary));
    } catch (error) {
      if (!(type.toleratesMissingChildren && error instanceof NodeFailure)) throw error;
      children.push(null);
      faults.push(error.message);
    }
  }
  if (!asPrimary && !type.isAssembledOnSecondary) return null;
  const device = await type.assemble(disk, children).catch((error: unknown) => {
    // If the device needs its missing children, report their faults as the reason.
    if (!(error instanceof NodeFailure) || faults.length === 0) throw error;
    throw new NodeFailure([error.message, ...faults].join("; "));
  });
  if (asPrimary || type.isOpenedOnSecondary) {
    await type.open(disk, { force: false, exclusive: false });
  }
  return device;
}

/**
 * Retries a failing removal for at most `forMs`, because a device may stay busy for some seconds after its user has ended. A
 * device that was not found has no user, so leftovers of its creation get a single attempt.
 */
async function removed(
  { clock }: NodeContext,
  type: DiskType,
  disk: DiskOnNode,
  forMs: number,
): Promise<void> {
  const end = clock.now() + forMs;
  for (;;) {
    try {
      return await type.remove(disk);
    } catch (error) {
      if (!(error instanceof NodeFailure) || clock.now() >= end) throw error;
      await pause(clock, removeTries.everyMs);
    }
  }
}
