/** Files in which hypervisors keep their state, named after instances. */
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, rename, stat, unlink } from "node:fs/promises";
import { ifMissing, NodeFailure } from "../failure.js";
import { replaceFile as replaced } from "../host/replaced-file.js";

/** Name of an instance as a file name; refuses names that would lead to another directory. */
export function asFileName(instance: string): string {
  if (/^\.{0,2}$/.test(instance) || /[/\0\n]/.test(instance)) {
    throw new NodeFailure(`'${instance}' is not a name of an instance`);
  }
  return instance;
}

/** Creates a directory with its parents; `mode` is applied regardless of the umask. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, mode);
}

/** Why a hypervisor has no folder for its instances; null if it has. It is made as by the first start. */
export async function folderFault(path: string): Promise<string | null> {
  await makeFolder(path, 0o755).catch(() => undefined);
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ? null : `The required directory '${path}' does not exist`;
}

/**
 * Text of a file; null if there is none. Read synchronously: the files are in `/run`, in memory, and a thread would cost
 * more than the wait.
 */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return ifMissing(null)(error);
  }
}

export async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch(ifMissing(null));
}

export async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(ifMissing(null));
}

export const exists = async (path: string): Promise<boolean> =>
  (await stat(path).catch(ifMissing(null))) !== null;

/** Names in a directory, sorted; none if there is no such directory. */
export async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    return ifMissing([])(error);
  }
}

/** Replaces a file atomically: readers see the old or the new content, even after a crash of the machine. */
export const replaceFile = (path: string, text: string, mode = 0o600): Promise<void> =>
  replaced(path, text, { mode });
