/** Key file of the page's sessions. */
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { StartError } from "./start-error.js";

const keyBytes = 32;

/**
 * The key in a file, created if it does not exist, with access for its owner only.
 * @throws StartError if the file is not a key
 */
export function sessionKey(path: string): Buffer {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, randomBytes(keyBytes).toString("hex"), { mode: 0o600 });
  try {
    // The first of several processes wins, and no reader sees an incomplete key.
    linkSync(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
  if (key.length !== keyBytes) throw new StartError(`${path} is not a key of ${keyBytes} bytes`);
  return key;
}
