/** DiskCache: files `bdev-cache/bdev_PATH` that tell administrators which instance uses a device. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";

export interface DiskCache {
  /** Records the owner of the device at `path` in one line: `OWNER primary|secondary NAME`. */
  note(path: string | null, owner: string, isPrimary: boolean, disk: DiskOnNode): Promise<void>;
  forget(path: string | null): Promise<void>;
}

/** Failures are only logged, because nothing depends on these files. */
export function diskCache({ paths, log }: Pick<NodeContext, "paths" | "log">): DiskCache {
  const folder = join(paths.run, "bdev-cache");
  const fileOf = (path: string): string =>
    join(folder, `bdev_${path.replace(/^\/dev\//, "").replaceAll("/", "_")}`);
  const logged = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      log.error(`Can't update the notes about devices: ${(error as Error).message}`);
    }
  };
  return {
    note: (path, owner, isPrimary, { iv_name }) =>
      logged(async () => {
        if (path === null) return;
        await mkdir(folder, { recursive: true, mode: 0o755 });
        const side = isPrimary ? "primary" : "secondary";
        await writeFile(fileOf(path), `${owner} ${side} ${iv_name ?? "not_visible"}\n`);
      }),
    forget: (path) =>
      logged(async () => {
        if (path !== null) await rm(fileOf(path), { force: true });
      }),
  };
}
