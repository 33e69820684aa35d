/** The file with the key that all nodes of a cluster share, `hmac.key`. */
import { randomBytes } from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";

/** Owner and mode of an adopted cluster's file stay as they are. */
export const confdKeyMode = 0o400;

/** Length of a key in bytes, before it is written as hexadecimal. */
const keyBytes = 20;

/** A larger file is no key. */
const keyFileBytesMax = 4096;

/** 40 hexadecimal digits and a newline. The newline is part of the key. */
export const newConfdKey = (): Uint8Array =>
  Buffer.from(`${randomBytes(keyBytes).toString("hex")}\n`);

/**
 * The whole content of the file, with its newline: both sides of Ganeti use it like this, and a client
 * that strips it signs with another key.
 * @throws the system's error; RangeError for a file that is empty or larger than any key
 */
export async function readConfdKey(path: string): Promise<Uint8Array> {
  const key = await readFile(path);
  if (key.length === 0 || key.length > keyFileBytesMax) {
    throw new RangeError(`${path}: ${key.length} bytes are no key`);
  }
  return key;
}

/**
 * Writes a new key with mode 0400, replacing an existing file as a whole: readers see the old key or
 * the new one. Servers and clients use it after they have read it again.
 */
export async function createConfdKey(path: string): Promise<Uint8Array> {
  const key = newConfdKey();
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(temporary, "wx", confdKeyMode);
  try {
    await file.writeFile(key);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  return key;
}
