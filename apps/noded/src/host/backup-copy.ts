/** removeWithBackup: removes a file and keeps a copy of it. */
import { randomBytes } from "node:crypto";
import { constants, copyFile, rm } from "node:fs/promises";
import { timeStamp } from "./time-stamp.js";

/** Removes a file after copying it to `NAME.backup-TIME.XXXX`. Rejects with the error of the file system. */
export async function removeWithBackup(path: string, now: Date): Promise<void> {
  const copy = `${path}.backup-${timeStamp(now)}.${randomBytes(4).toString("hex")}`;
  await copyFile(path, copy, constants.COPYFILE_EXCL);
  await rm(path);
}
