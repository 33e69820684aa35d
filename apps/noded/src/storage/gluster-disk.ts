/** Disks of type gluster: files in a Gluster volume, which is mounted when needed. */
import { lookup } from "node:dns/promises";
import { mkdir, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { mountPoints } from "../machine/mounts.js";
import { outputOf, succeeded } from "../machine/runner.js";
import { isUserspace } from "./block-device.js";
import type { Device, DiskType } from "./disk-type.js";
import { fileDisks } from "./file-disk.js";
import { ran } from "./programs.js";

interface Volume {
  readonly ip: string;
  readonly port: number;
  readonly name: string;
}

/** Disks are files below the mount point of the volume, which the ssconf value `gluster_storage_dir` contains. */
export function glusterDisks(context: NodeContext): DiskType {
  const files = fileDisks(context);
  /** The same disk as a file disk with its path below the mount point. */
  const mounted = async (disk: DiskOnNode) => {
    const [mountPoint] = await context.ssconf("gluster_storage_dir");
    if (mountPoint === undefined) throw new NodeFailure("No directory for Gluster is configured");
    const [driver = null, path] = disk.logical_id;
    const full = resolve(mountPoint, String(path));
    if (!full.startsWith(`${mountPoint}/`)) {
      throw new NodeFailure(`Path '${path}' is not below '${mountPoint}'`);
    }
    const volume = await volumeOf(disk);
    await mount(context, volume, mountPoint);
    const file: DiskOnNode = { ...disk, logical_id: [driver, full] };
    return { mountPoint, full, volume, file, path: full.slice(mountPoint.length + 1) };
  };
  const withUri = async (disk: DiskOnNode, device: Device | null): Promise<Device | null> => {
    if (device === null || !isUserspace(disk.params)) return device;
    const { volume, path } = await mounted(disk);
    return { ...device, uri: uriOf(volume, path) };
  };
  return {
    ...files,
    parameters: ["access", "host", "port", "volume"],
    find: async (disk) => withUri(disk, await files.find((await mounted(disk)).file)),
    async create(disk, creation) {
      const { full, file } = await mounted(disk);
      await mkdir(dirname(full), { recursive: true });
      await files.create(file, creation);
    },
    async assemble(disk, children) {
      const device = await files.assemble((await mounted(disk)).file, children);
      return (await withUri(disk, device)) ?? device;
    },
    async remove(disk) {
      const { file, mountPoint } = await mounted(disk);
      await files.remove(file);
      const ended = await ran(context.run, ["umount", mountPoint]);
      // The umount may fail because other disks of the volume are in use.
      if (!succeeded(ended)) context.log.info(`umount ${mountPoint}: ${outputOf(ended)}`);
    },
    grow: async (disk, growth) => files.grow((await mounted(disk)).file, growth),
    rename: () => Promise.reject(new NodeFailure("Rename is not supported for Gluster storage")),
    size: async (disk) => files.size((await mounted(disk)).file),
  };
}

const uriOf = ({ ip, port, name }: Volume, path: string): string =>
  `gluster://${isIP(ip) === 6 ? `[${ip}]` : ip}:${port}/${name}/${path}`;

async function volumeOf({ params }: DiskOnNode): Promise<Volume> {
  const [host, port, name] = [params?.host, Number(params?.port), params?.volume];
  if (typeof host !== "string" || !Number.isInteger(port) || typeof name !== "string") {
    throw new NodeFailure(`Invalid Gluster volume ${JSON.stringify([host, params?.port, name])}`);
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) {
    throw new NodeFailure(`Invalid name of a Gluster volume: '${name}'`);
  }
  if (isIP(host) !== 0) return { ip: host, port, name };
  try {
    return { ip: (await lookup(host)).address, port, name };
  } catch (error) {
    throw new NodeFailure(`Can't resolve ${host}: ${(error as Error).message}`);
  }
}

async function isMounted({ paths }: NodeContext, mountPoint: string): Promise<boolean> {
  const mounts = await readFile(join(paths.proc, "mounts"), "utf8");
  return mountPoints(mounts).includes(mountPoint);
}

async function mount(
  context: NodeContext,
  { ip, port, name }: Volume,
  mountPoint: string,
): Promise<void> {
  if (await isMounted(context, mountPoint)) return;
  await mkdir(mountPoint, { recursive: true });
  const words = ["-t", "glusterfs", "-o", `server-port=${port}`, `${ip}:/${name}`, mountPoint];
  const ended = await ran(context.run, ["mount", ...words]);
  if (await isMounted(context, mountPoint)) return;
  throw new NodeFailure(`'${mountPoint}': mount failure: ${outputOf(ended)}`);
}
