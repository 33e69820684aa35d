/** Files of single configuration values that every node holds. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { NodeFailure } from "../failure.js";

/** Reads `ssconf_KEY` in `directory`; each call reads the file. */
export const ssconfReader =
  (directory: string) =>
  async (key: string): Promise<readonly string[]> => {
    const path = join(directory, `ssconf_${key}`);
    try {
      return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new NodeFailure(`Can't read ssconf file ${path}: no such file`);
    }
  };
