/** Disks of type blockdev: existing block devices of the machine that a cluster adopts unchanged. */
import { realpath } from "node:fs/promises";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { blockDevice } from "./block-device.js";
import { type Device, type DiskType, healthy } from "./disk-type.js";
import { deviceBytes } from "./programs.js";

/** Path in the logical id `["manual", "/dev/…"]`. Links must not lead out of `/dev`. */
async function pathOf({ logical_id }: DiskOnNode): Promise<string> {
  const [driver, path] = logical_id;
  if (logical_id.length !== 2 || typeof path !== "string") {
    throw new Error(`Invalid configuration data ${JSON.stringify(logical_id)}`);
  }
  if (driver !== "manual") {
    throw new Error(`Got persistent block device of invalid type: ${driver}`);
  }
  const real = await realpath(path).catch(() => path);
  const leaves = (one: string): boolean =>
    !one.startsWith("/dev/") || one.split("/").includes("..");
  if (leaves(path) || leaves(real)) throw new Error(`Full path '${real}' lies outside /dev`);
  return path;
}

const unsupported = (what: string) => () =>
  Promise.reject(new NodeFailure(`${what} is not supported for PersistentBlockDev storage`));

/** Devices are never created, changed or removed; only their content changes. */
export function adoptedDisks({ run }: Pick<NodeContext, "run">): DiskType {
  const found = async (disk: DiskOnNode): Promise<Device> => {
    const device = await blockDevice(await pathOf(disk));
    if (device === null) throw new NodeFailure(`${disk.logical_id[1]}: No such block device`);
    return device;
  };
  const nothing = async (): Promise<void> => {};
  return {
    isAssembledOnSecondary: false,
    isOpenedOnSecondary: false,
    parameters: [],
    find: async (disk) => blockDevice(await pathOf(disk)),
    create: async (disk) => void (await found(disk)),
    assemble: found,
    ...{ open: nothing, close: nothing, shutdown: nothing, remove: nothing, setInfo: nothing },
    grow: unsupported("Grow"),
    rename: unsupported("Rename"),
    async size(disk) {
      const path = await pathOf(disk);
      if ((await blockDevice(path)) === null) return null;
      return { bytes: await deviceBytes(run, path), spindles: null };
    },
    status: async () => healthy,
  };
}
