/** Calls about directories for disks in files. Unlike in Ganeti, each path is checked against the administrator's list. */
import { lstat, mkdir, rename, rmdir } from "node:fs/promises";
import type { NodeContext } from "../context.js";
import { ifMissing, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { checkStoragePath } from "./allowed-paths.js";

type Kind = "directory" | "other" | "missing";

async function kindOf(path: string): Promise<Kind> {
  const found = await lstat(path).catch(ifMissing(null));
  if (found === null) return "missing";
  return found.isDirectory() ? "directory" : "other";
}

export const directoryCalls = ({ paths }: NodeContext) =>
  handlers({
    async file_storage_dir_create({ directory }) {
      await checkStoragePath(paths, directory, { isDirectory: true });
      if ((await kindOf(directory)) === "other") throw notDirectory(directory);
      await attempted(`Cannot create file storage directory '${directory}'`, () =>
        mkdir(directory, { recursive: true, mode: 0o750 }),
      );
    },

    async file_storage_dir_remove({ directory }) {
      await checkStoragePath(paths, directory, { isDirectory: true });
      const kind = await kindOf(directory);
      if (kind === "other") throw notDirectory(directory);
      if (kind === "missing") return;
      await attempted(`Cannot remove file storage directory '${directory}'`, () =>
        rmdir(directory),
      );
    },

    async file_storage_dir_rename({ from, to }) {
      await checkStoragePath(paths, from, { isDirectory: true });
      await checkStoragePath(paths, to, { isDirectory: true });
      const [source, target] = [await kindOf(from), await kindOf(to)];
      // A repeated call: the directory has been renamed already.
      if (source === "missing" && target === "directory") return;
      if (source !== "missing" && target !== "missing") {
        throw new NodeFailure(`Cannot rename '${from}' to '${to}': both locations exist`);
      }
      await attempted(`Cannot rename '${from}' to '${to}'`, () => rename(from, to));
    },
  });

const notDirectory = (path: string): NodeFailure =>
  new NodeFailure(`Specified storage dir '${path}' is not a directory`);

async function attempted(what: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new NodeFailure(`${what}: ${(error as Error).message}`);
  }
}
