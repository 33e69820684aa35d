/** Calls that report about block devices without changing them. */
import {
  type DeviceAnswer,
  type DeviceStatus,
  type DiskOnNode,
  diskText,
} from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { ifFailed, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import type { Device, OwnStatus } from "./disk-type.js";
import { childrenOf, type DiskTypes, foundDevice } from "./disk-types.js";

export const lookCalls = (types: DiskTypes) =>
  handlers({
    async blockdev_find({ disk }) {
      const type = types(disk);
      const device = await type.find(disk);
      if (device === null) return null;
      const { path, major, minor } = device;
      return { path: path ?? "", major, minor, ...(await type.status(disk, device)) };
    },

    async blockdev_getmirrorstatus({ disks }) {
      const found: DeviceStatus[] = [];
      for (const disk of disks) found.push(await combined(types, disk));
      return found;
    },

    async blockdev_getmirrorstatus_multi({ disks }) {
      const answers: DeviceAnswer[] = [];
      for (const disk of disks) {
        const answer = combined(types, disk).then((status) => ({ ok: true, status }) as const);
        answers.push(await answer.catch(ifFailed((message) => ({ ok: false, message }) as const)));
      }
      return answers;
    },

    async blockdev_getdimensions({ disks }) {
      const found: ({ sizeMib: number; spindles: number | null } | null)[] = [];
      for (const disk of disks) {
        const size = await types(disk).size(disk);
        found.push(
          size === null ? null : { sizeMib: size.bytes / bytesPerMib, spindles: size.spindles },
        );
      }
      return found;
    },
  });

/**
 * The worst state among a device and its direct children. As in Ganeti, only its own state counts for a mirror that lacks a
 * child: it works without a local disk, and a repair must be able to find it.
 */
async function combined(types: DiskTypes, disk: DiskOnNode): Promise<DeviceStatus> {
  const device = await foundDevice(types, disk);
  const states: OwnStatus[] = [await types(disk).status(disk, device)];
  const children = childrenOf(disk);
  const found = await Promise.all(children.map((child) => types(child).find(child)));
  const isWhole = found.every((child) => child !== null);
  if (!isWhole && !types(disk).toleratesMissingChildren) {
    throw new NodeFailure(`Can't find device ${diskText(disk)}`);
  }
  for (const [at, child] of (isWhole ? children : []).entries()) {
    states.push(await types(child).status(child, found[at] as Device));
  }
  const { path, major, minor } = device;
  return { path: path ?? "", major, minor, ...states.reduce(worse) };
}

const order = [null, "ok", "sync", "unknown", "faulty"] as const;

const worse = (a: OwnStatus, b: OwnStatus): OwnStatus => ({
  syncPercent: extreme(Math.min, a.syncPercent, b.syncPercent),
  estimatedSeconds: extreme(Math.max, a.estimatedSeconds, b.estimatedSeconds),
  degraded: a.degraded || b.degraded,
  localDisk: order[Math.max(order.indexOf(a.localDisk), order.indexOf(b.localDisk))] ?? null,
});

const extreme = (
  of: (a: number, b: number) => number,
  a: number | null,
  b: number | null,
): number | null => (a === null ? b : b === null ? a : of(a, b));
