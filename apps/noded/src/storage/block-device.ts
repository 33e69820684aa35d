/** Device files of block devices. */
import { realpath, stat } from "node:fs/promises";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { type Device, type DiskType, passive } from "./disk-type.js";
import { deviceBytes } from "./programs.js";

/** The block device at `path`; null if there is none. */
export async function blockDevice(path: string): Promise<Device | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isBlockDevice()) return null;
  const { rdev } = found;
  // Encoding of both numbers in the lower 32 bits on Linux.
  const major = (rdev >>> 8) & 0xfff;
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xfff00);
  return { path, major, minor, uri: null };
}

/** Whether the hypervisor opens the disk itself. */
export const isUserspace = (
  params: Readonly<Record<string, unknown>> | null | undefined,
): boolean => params?.access === "userspace";

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
  return {
    ...passive,
    find: async (disk) => blockDevice(await pathOf(disk)),
    create: async (disk) => void (await found(disk)),
    assemble: found,
    remove: passive.shutdown,
    grow: unsupported("Grow"),
    rename: unsupported("Rename"),
    async size(disk) {
      const path = await pathOf(disk);
      if ((await blockDevice(path)) === null) return null;
      return { bytes: await deviceBytes(run, path), spindles: null };
    },
  };
}
