/** Disks of types file and sharedfile. */
import { open, rename, stat, truncate, unlink } from "node:fs/promises";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { ifMissing, NodeFailure, writeFailure } from "../failure.js";
import { checkStoragePath } from "./allowed-paths.js";
import { type Device, type DiskType, passive } from "./disk-type.js";

/** Path in the logical id `[driver, path]`. */
function pathOf({ logical_id, dev_type }: Pick<DiskOnNode, "logical_id" | "dev_type">): string {
  const path = logical_id[1];
  if (typeof path !== "string" || logical_id.length !== 2) {
    throw new NodeFailure(
      `Invalid configuration data ${JSON.stringify(logical_id)} of a ${dev_type} disk`,
    );
  }
  return path;
}

/** Size of a regular file in bytes; null if there is none. */
async function fileSize(path: string): Promise<number | null> {
  const found = await stat(path).catch(ifMissing(null));
  return found?.isFile() ? found.size : null;
}

const deviceAt = (path: string): Device => ({ path, major: null, minor: null, uri: null });

/** Disks are sparse files with mode 0600. Each path is first checked against the administrator's list. */
export function fileDisks({ paths }: Pick<NodeContext, "paths">): DiskType {
  const checked = async (disk: Pick<DiskOnNode, "logical_id" | "dev_type">): Promise<string> => {
    const path = pathOf(disk);
    await checkStoragePath(paths, path);
    return path;
  };
  return {
    ...passive,
    async find(disk) {
      const path = await checked(disk);
      return (await fileSize(path)) === null ? null : deviceAt(path);
    },
    create: async (disk, { sizeMib }) => makeFile(await checked(disk), sizeMib * bytesPerMib),
    async assemble(disk) {
      const path = await checked(disk);
      if ((await fileSize(path)) === null) throw new NodeFailure(`${path}: No such file`);
      return deviceAt(path);
    },
    async remove(disk) {
      const path = await checked(disk);
      try {
        await unlink(path).catch(ifMissing(undefined));
      } catch (error) {
        throw new NodeFailure(`${path}: can't remove: ${reason(error)}`);
      }
    },
    async grow(disk, { amountMib, dryRun, backingStore }) {
      const path = await checked(disk);
      if (!backingStore || dryRun) return;
      const size = await fileSize(path);
      if (size === null) throw new NodeFailure(`${path}: No such file`);
      if (amountMib < 0) throw new NodeFailure(`${path}: can't grow by negative amount`);
      // A repeated call: the file has this size already.
      const wanted = (disk.size + amountMib) * bytesPerMib;
      if (size >= wanted) return;
      await truncate(path, wanted).catch((error: unknown) => {
        throw writeFailure(path, error);
      });
    },
    async rename(disk, logicalId) {
      const from = await checked(disk);
      const to = await checked({ ...disk, logical_id: logicalId });
      // A repeated call: the file has been renamed already.
      if ((await fileSize(from)) === null && (await fileSize(to)) !== null) return;
      await rename(from, to);
    },
    async size(disk) {
      const bytes = await fileSize(await checked(disk));
      return bytes === null ? null : { bytes, spindles: null };
    },
  };
}

const reason = (error: unknown): string => (error as Error).message;

/** Creates a file of that size. An existing file is accepted if it has that size, or is empty after an interrupted creation. */
async function makeFile(path: string, bytes: number): Promise<void> {
  const existing = await fileSize(path);
  if (existing === bytes) return;
  if (existing !== null && existing !== 0) {
    throw new NodeFailure(
      `${path}: can't create: [Errno 17] File exists: '${path}' (${existing} bytes instead of ${bytes})`,
    );
  }
  try {
    const file = await open(path, existing === 0 ? "r+" : "wx", 0o600);
    try {
      await file.truncate(bytes);
    } catch (error) {
      await unlink(path);
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new NodeFailure(`${path}: can't create: ${reason(error)}`);
  }
}
