/** Watcher notes in files of the data directory, with the names and form of Ganeti's watcher. */
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { WatcherNotesStore } from "@ganeti-ts/cluster";

export function watcherNotesIn(folder: string): WatcherNotesStore {
  const fileOf = (group: string) => join(folder, `watcher.${group}.data`);
  return {
    async load(group) {
      try {
        return await readFile(fileOf(group), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async save(group, text) {
      const file = fileOf(group);
      const fresh = await open(`${file}.new`, "w", 0o600);
      try {
        await fresh.writeFile(text);
        await fresh.sync();
      } finally {
        await fresh.close();
      }
      await rename(`${file}.new`, file);
    },
  };
}
