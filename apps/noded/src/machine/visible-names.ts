/** visibleNames: entries of a directory, without hidden ones. */
import { readdir } from "node:fs/promises";

/** Sorted names without a leading dot; empty if the directory is missing or cannot be read. */
export const visibleNames = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith(".")).sort();
