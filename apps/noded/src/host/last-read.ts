/** lastRead: parsed content of a file, read again when the file has been replaced or changed. */
import { readFileSync, statSync } from "node:fs";

/**
 * Result of `parse` for the file's content; undefined while there is no file. Each call compares the file's identity and times, and
 * reads it again if they have changed and `isDue`, so that the next call after a change sees the new content.
 */
export function lastRead<T>(
  path: string,
  parse: (content: Buffer) => T,
  isDue: () => boolean = () => true,
): () => T | undefined {
  let last: { readonly stamp: string; readonly value: T } | undefined;
  return () => {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      const stamp = [ino, size, mtimeNs, ctimeNs].join(" ");
      if (last === undefined || (stamp !== last.stamp && isDue())) {
        last = { stamp, value: parse(readFileSync(path)) };
      }
      return last.value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      last = undefined;
      return undefined;
    }
  };
}

/** Lines that are not empty. */
export const linesIn = (content: Buffer): readonly string[] =>
  content
    .toString()
    .split("\n")
    .filter((line) => line !== "");
