/** DiskLinks: symbolic links to the disks of instances that run on this node, `instance-disks/NAME:INDEX`. */
import { lstat, mkdir, readdir, readlink, rename, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";

export interface DiskLinks {
  pathOf(instance: string, index: number): string;
  /** Replaces a link to another device. */
  make(instance: string, index: number, device: string): Promise<string>;
  /** Removes a link; anything else at its path is left alone. */
  remove(instance: string, index: number): Promise<void>;
  /** Removes all links to a device that is being removed. */
  removeTo(device: string | null): Promise<void>;
}

export function diskLinks({ paths }: Pick<NodeContext, "paths">): DiskLinks {
  const folder = join(paths.run, "instance-disks");
  const pathOf = (instance: string, index: number): string => {
    if (instance.includes("/") || instance === "") {
      throw new NodeFailure(`'${instance}' is not a name of an instance`);
    }
    return join(folder, `${instance}:${index}`);
  };
  return {
    pathOf,
    async make(instance, index, device) {
      const link = pathOf(instance, index);
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if ((await targetOf(link)) === device) return link;
      // Renamed into place, so that the link is never missing.
      const fresh = `${link}.new`;
      await unlink(fresh).catch(() => {});
      await symlink(device, fresh);
      await rename(fresh, link);
      return link;
    },
    async remove(instance, index) {
      const link = pathOf(instance, index);
      const found = await lstat(link).catch(() => null);
      if (found?.isSymbolicLink()) await unlink(link);
    },
    async removeTo(device) {
      if (device === null) return;
      for (const name of await readdir(folder).catch(() => [])) {
        const link = join(folder, name);
        if ((await targetOf(link)) === device) await unlink(link);
      }
    },
  };
}

const targetOf = (link: string): Promise<string | null> => readlink(link).catch(() => null);
