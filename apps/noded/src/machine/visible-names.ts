/** Entries of directories that users see. */
import { readdir } from "node:fs/promises";

/** Sorted names without a leading dot; none of a directory that is missing or cannot be read. */
export const visibleNames = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith(".")).sort();
