/** fullNote: a hint for errors of programs that do not name the file they could not write. */
import { statfs } from "node:fs/promises";

/** ` (there is no space left for PATH)` if the file system of `path` is full, else the empty string. */
export async function fullNote(path: string): Promise<string> {
  const space = await statfs(path).catch(() => null);
  return space?.bavail === 0 ? ` (there is no space left for ${path})` : "";
}
