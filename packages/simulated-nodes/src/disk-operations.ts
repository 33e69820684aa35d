/** Calls about block devices. */

import type { DiskCalls, DiskOnNode } from "@ganeti-ts/node-calls";
import { diskText } from "@ganeti-ts/node-calls";
import { assembled, type DiskKind } from "./disk-kind.js";
import { changeDevice, connect, deviceOf, drbdDisk, setStorage, sideOf } from "./drbd-disk.js";
import { fileDisk } from "./file-disk.js";
import { inactiveMirrors } from "./inactive-mirrors.js";
import { advance, changeMirror, isConnected, pairOf, progress } from "./mirror.js";
import { plainDisk } from "./plain-disk.js";
import { adoptedDisk, extDisk, sharedDisk, sharedFile } from "./shared-disk.js";
import { type CallsOnHost, copyMs, NodeFault, type Site } from "./site.js";

const kinds: Readonly<Record<DiskOnNode["dev_type"], DiskKind>> = {
  plain: plainDisk,
  drbd: drbdDisk,
  file: fileDisk,
  sharedfile: sharedFile,
  gluster: sharedDisk,
  rbd: sharedDisk,
  ext: extDisk,
  blockdev: adoptedDisk,
};

export const kindOf = ({ dev_type }: DiskOnNode): DiskKind => kinds[dev_type];

/** Runs the storage operation and prefixes its error with the attempted operation. */
function attempt<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof NodeFault) throw new NodeFault(`${what}: ${error.message}`);
    throw error;
  }
}

function found(site: Site, disk: DiskOnNode, missing = "Can't find device") {
  const status = kindOf(disk).status(site, disk);
  if (status === undefined) throw new NodeFault(`${missing} ${diskText(disk)}`);
  return status;
}

/** Finds all devices before the first one is changed. */
function foundAll(site: Site, disks: readonly DiskOnNode[]) {
  return disks.map((disk) => found(site, disk));
}

export const diskOperations: CallsOnHost<keyof DiskCalls> = {
  blockdev_create(site, args) {
    attempt("Can't create block device", () => kindOf(args.disk).create(site, args.disk, args));
    return null;
  },
  blockdev_remove(site, { disk }) {
    kindOf(disk).remove(site, disk);
    for (const child of disk.children ?? []) kindOf(child).remove(site, child);
  },
  blockdev_assemble: (site, args) =>
    attempt("Error while assembling disk", () => {
      const { disk } = args;
      if (disk.dev_type !== "drbd") {
        for (const child of disk.children ?? []) kindOf(child).assemble(site, child, args);
      }
      // Only mirrors are activated on a secondary.
      if (args.asPrimary || disk.dev_type === "drbd") kindOf(disk).assemble(site, disk, args);
      return assembled(kindOf(disk).path(site, disk), args);
    }),
  blockdev_shutdown(site, { disk }) {
    kindOf(disk).shutdown(site, disk);
    for (const child of disk.children ?? []) kindOf(child).shutdown(site, child);
  },
  blockdev_open(site, { disks }) {
    foundAll(site, disks);
    attempt("Can't open devices", () => {
      for (const disk of disks) kindOf(disk).open(site, disk);
    });
  },
  blockdev_close(site, { disks }) {
    foundAll(site, disks);
    for (const disk of disks) kindOf(disk).close(site, disk);
  },
  blockdev_grow(site, args) {
    found(site, args.disk, "Cannot find block device");
    attempt("Failed to grow block device", () => kindOf(args.disk).grow(site, args.disk, args));
  },
  blockdev_rename(site, { renames }) {
    for (const { disk, logicalId } of renames) {
      const renamed = { ...disk, logical_id: logicalId };
      const there = kindOf(disk).status(site, disk) ?? kindOf(disk).status(site, renamed);
      if (there === undefined) {
        throw new NodeFault(`Can't find device ${diskText(disk)} in rename`);
      }
      attempt(`Can't rename device '${diskText(disk)}' to '${logicalId.join("/")}'`, () =>
        kindOf(disk).rename(site, disk, logicalId),
      );
    }
  },
  blockdev_addchildren(site, { disk, children }) {
    found(site, disk, "Can't find parent device");
    for (const child of children) found(site, child, "Can't find new device(s) to add:");
    setStorage(site, disk, children);
  },
  blockdev_removechildren(site, { disk }) {
    found(site, disk, "Can't find parent device");
    setStorage(site, disk, undefined);
  },
  blockdev_find: (site, { disk }) => kindOf(disk).status(site, disk) ?? null,
  blockdev_getmirrorstatus: (site, { disks }) => foundAll(site, disks),
  blockdev_getmirrorstatus_multi: (site, { disks }) =>
    disks.map((disk) => {
      const status = kindOf(disk).status(site, disk);
      return status === undefined
        ? { ok: false, message: `Can't find device ${diskText(disk)}` }
        : { ok: true, status };
    }),
  blockdev_getdimensions: (site, { disks }) =>
    disks.map((disk) => kindOf(disk).dimensions(site, disk) ?? null),
  blockdev_snapshot(site, { disk, name, sizeMib }) {
    const [data] = disk.children ?? [];
    const source = disk.dev_type === "drbd" ? data : disk;
    if (source === undefined) {
      throw new NodeFault(
        `DRBD device '${disk.logical_id}' without backing storage cannot be snapshotted`,
      );
    }
    const { snapshot } = kindOf(source);
    if (snapshot === undefined) {
      const id = source.logical_id.map((part) => `'${part}'`).join(", ");
      throw new NodeFault(`Cannot snapshot block device '(${id})' of type '${source.dev_type}'`);
    }
    found(site, source, "Cannot find block device");
    const [place = null, of] = source.logical_id;
    const logicalId = [place, name ?? `${of}.snap`];
    snapshot(site, source, logicalId, sizeMib);
    return logicalId;
  },
  blockdev_setinfo(site, { disk, info }) {
    found(site, disk, "Cannot find block device");
    kindOf(disk).setInfo(site, disk, info);
  },
  blockdev_wipe: {
    durationMs: ({ durations }, { sizeMib }) => copyMs(sizeMib, durations.copySpeed),
    act(site, { disk, offsetMib, sizeMib }) {
      found(site, disk, "Cannot find block device");
      if (offsetMib > disk.size) throw new NodeFault("Wipe offset is bigger than device size");
      if (offsetMib + sizeMib > disk.size) {
        throw new NodeFault("Wipe offset and size are bigger than device size");
      }
      const kind = kindOf(disk);
      checkEnd(site, disk, offsetMib + sizeMib);
      // Behind the beginning, what a growth has added is wiped.
      kind.write(site, disk, offsetMib === 0 && sizeMib > 0 ? undefined : kind.image(site, disk));
    },
  },
  blockdev_image: {
    durationMs: ({ durations }, { sizeMib }) => copyMs(sizeMib, durations.copySpeed),
    act(site, { disk, image, sizeMib }) {
      found(site, disk, "Cannot find block device");
      checkImage(image, sizeMib, disk.size);
      const content = site.host.files[image];
      if (content !== undefined) kindOf(disk).write(site, disk, content);
    },
  },
  blockdev_convert: {
    durationMs: ({ durations }, { source }) => copyMs(source.size, durations.copySpeed),
    act(site, { source, target }) {
      found(site, source, "Cannot find block device");
      found(site, target, "Cannot find block device");
      const presentMib = kindOf(source).dimensions(site, source)?.sizeMib ?? 0;
      checkEnd(site, target, Math.min(source.size, presentMib));
      kindOf(target).write(site, target, kindOf(source).image(site, source));
    },
  },
  blockdev_pause_resume_sync: (site, { disks, pause }) =>
    disks.map((disk) => {
      const device = disk.dev_type === "drbd" ? deviceOf(site, disk) : undefined;
      if (device === undefined) {
        const message = kindOf(disk).status(site, disk)
          ? null
          : `Cannot change sync for device ${disk.iv_name}: device not found`;
        return { ok: message === null, message };
      }
      changeDevice(site, disk, device, () => {
        changeMirror(device, { paused: pause });
      });
      return { ok: true, message: null };
    }),

  drbd_disconnect_net(site, { disks }) {
    foundAll(site, disks);
    for (const disk of disks) {
      const device = deviceOf(site, disk);
      if (device === undefined) continue;
      changeDevice(site, disk, device, () => {
        changeMirror(device, { connects: false, multimaster: false });
      });
    }
  },
  drbd_attach_net(site, { disks, multimaster }) {
    foundAll(site, disks);
    for (const disk of disks) connect(site, disk, multimaster);
  },
  drbd_wait_sync(site, { disks }) {
    let done = true;
    let syncPercent = 100;
    for (const disk of disks) {
      found(site, disk);
      const device = deviceOf(site, disk);
      if (device === undefined) continue;
      const pair = pairOf(site, sideOf(site, disk).minor, device);
      advance(site, pair);
      if (!isConnected(pair)) {
        throw new NodeFault(`DRBD device ${diskText(disk)} is not in sync: not connected`);
      }
      const copying = progress(site, pair);
      if (copying !== undefined) {
        done = false;
        syncPercent = Math.min(syncPercent, copying.percent);
      }
    }
    return { done, syncPercent };
  },
  drbd_needs_activation: (site, { disks }) => inactiveMirrors(site, disks),
};

/** @throws NodeFault if a write up to this size does not fit on the device, which may be smaller than configured */
function checkEnd(site: Site, disk: DiskOnNode, endMib: number): void {
  const sizeMib = kindOf(disk).dimensions(site, disk)?.sizeMib ?? 0;
  if (endMib <= sizeMib) return;
  const path = kindOf(disk).path(site, disk);
  throw new NodeFault(`error writing '${path}': No space left on device`);
}

/** Refuses what a node refuses before it looks at the image itself, which may be anywhere. */
function checkImage(image: string, sizeMib: number, deviceMib: number): void {
  if (sizeMib < 0) throw new NodeFault("Negative size");
  if (sizeMib > deviceMib) throw new NodeFault("Image size is bigger than device size");
  if (/^ftps?:/.test(image)) {
    throw new NodeFault(`Cannot download '${image}': only http and https`);
  }
  if (!image.startsWith("/") && !/^https?:/.test(image)) {
    throw new NodeFault(`Image '${image}' not found`);
  }
}
