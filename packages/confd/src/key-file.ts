/** The file with the key that all nodes of a cluster share, `hmac.key`. */
import { randomBytes } from "node:crypto";
import { chmod, chown, open, readFile, rename, stat, unlink } from "node:fs/promises";

/** Mode of a new key file. */
const confdKeyMode = 0o400;

/** Length of a key in bytes, before it is written as hexadecimal. */
const keyBytes = 20;

/** A larger file is not a key. */
const keyFileBytesMax = 4096;

/** 40 hexadecimal digits and a newline. The newline is part of the key. */
export const newConfdKey = (): Uint8Array =>
  Buffer.from(`${randomBytes(keyBytes).toString("hex")}\n`);

/**
 * The whole content of the file, with its newline: both sides of Ganeti use it like this, and a client
 * that strips it signs with another key.
 * @throws the system's error; RangeError for a file that is empty or larger than any key
 */
export const readConfdKey = async (path: string): Promise<Uint8Array> =>
  checkedConfdKey(path, await readFile(path));

/** The content of the key file `path`. @throws RangeError for a file that is empty or larger than any key */
export function checkedConfdKey(path: string, key: Uint8Array): Uint8Array {
  if (key.length === 0 || key.length > keyFileBytesMax) {
    throw new RangeError(`${path}: ${key.length} bytes are no key`);
  }
  return key;
}

/**
 * Writes a new key, replacing an existing file as a whole: readers see the old key or the new one. The
 * file has mode 0400, or owner and mode of the file it replaces: those of an adopted cluster stay as they
 * are. Servers and clients use the key after they have read it again.
 */
export async function createConfdKey(path: string): Promise<Uint8Array> {
  const key = newConfdKey();
  await replaceFile(path, key, await existing(path));
  return key;
}

/** The key of the file, which is made with mode 0400 if it does not exist. */
export async function ensureConfdKey(path: string): Promise<Uint8Array> {
  return (await existing(path)) === undefined ? createConfdKey(path) : readConfdKey(path);
}

interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

async function existing(path: string): Promise<Ownership | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as { readonly code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

async function replaceFile(
  path: string,
  content: Uint8Array,
  old: Ownership | undefined,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(temporary, "wx", confdKeyMode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (old !== undefined) {
      await chown(temporary, old.uid, old.gid);
      await chmod(temporary, old.mode & 0o7777);
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
}
