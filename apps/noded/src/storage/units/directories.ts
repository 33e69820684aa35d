/** Storage units that are directories for disks in files. */
import { lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { bytesPerMib, roundHalfEven } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { checkStoragePath } from "../allowed-paths.js";
import type { StorageUnits } from "./storage-units.js";

/** Free and total bytes of the file system that contains `path`. */
export async function fileSystemSpace(
  path: string,
): Promise<{ readonly sizeBytes: number; readonly freeBytes: number }> {
  try {
    const { bsize, blocks, bavail } = await statfs(path);
    return { sizeBytes: bsize * blocks, freeBytes: bsize * bavail };
  } catch (error) {
    throw new NodeFailure(
      `Failed to retrieve file system information about path: ${path} - ${(error as Error).message}`,
    );
  }
}

/** Units for directories; only those that the administrator allows for disks. */
export const directoryUnits = (
  { paths }: Pick<NodeContext, "paths">,
  directories: readonly string[],
): StorageUnits => ({
  async list(wanted) {
    const names = directories.filter((name) => wanted === null || name === wanted);
    const units = [];
    for (const name of names) {
      await checkStoragePath(paths, name, { isDirectory: true });
      const { sizeBytes, freeBytes } = await fileSystemSpace(name);
      units.push({
        name,
        size: roundHalfEven(sizeBytes / bytesPerMib),
        used: roundHalfEven((await treeBytes(name)) / bytesPerMib),
        free: roundHalfEven(freeBytes / bytesPerMib),
        allocatable: true,
      });
    }
    return units;
  },
});

/** Sum of the sizes of files; links are not followed, and files that vanish meanwhile are ignored. */
async function treeBytes(directory: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) sum += await treeBytes(path);
    else sum += (await lstat(path).catch(() => null))?.size ?? 0;
  }
  return sum;
}
