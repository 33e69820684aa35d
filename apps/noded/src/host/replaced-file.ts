/** replaceFile: writes a file atomically, so that readers see either the old or the new content. */
import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifMissing, writeFailure } from "../failure.js";

export interface FileAttributes {
  /** Permission bits. Default 0600. */
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Seconds since the epoch. */
  readonly accessedAt?: number | undefined;
  readonly modifiedAt?: number | undefined;
}

/**
 * Resolves when the file and its directory are on disk. Rejects with a `NodeFailure` that names the path, and keeps the old
 * content, if there is no room for the new one.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, uid, gid, accessedAt, modifiedAt }: FileAttributes = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString("hex")}.new`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      if (uid !== undefined && gid !== undefined) await file.chown(uid, gid);
      await file.chmod(mode & 0o7777);
      await file.writeFile(content);
      if (accessedAt !== undefined && modifiedAt !== undefined) {
        await file.utimes(accessedAt, modifiedAt);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeFailure(path, error);
  }
  await syncDirectory(dirname(path));
}

/** Owner and mode of an existing file; `fallback` if there is none. */
export async function attributesOf(
  path: string,
  fallback: FileAttributes,
): Promise<FileAttributes> {
  const { mode, uid, gid }: FileAttributes = await stat(path).catch(ifMissing(fallback));
  return { mode, uid, gid };
}

/** Syncs a rename or removal in this directory to disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
