/** Exclusive locks on files, as flock(2) gives them. */
import { closeSync, openSync } from "node:fs";
import { NodeFailure } from "../failure.js";
import { type Runner, succeeded } from "../machine/runner.js";

/** A lock that is held as long as the daemon lives, or until `release`. */
export interface FileLock {
  readonly descriptor: number;
  release(): void;
}

/**
 * Makes the file and locks it; null if another process still has it after `waitMs`. The lock belongs to a descriptor of
 * the daemon: the program flock(1) inherits it, locks it and ends.
 */
export async function lockFile(
  run: Runner,
  path: string,
  waitMs: number,
  mode = 0o600,
): Promise<FileLock | null> {
  const descriptor = openSync(path, "a+", mode);
  const release = (): void => closeSync(descriptor);
  try {
    const wait = waitMs === 0 ? ["-n"] : ["-w", String(waitMs / 1000)];
    const ended = await run.run({
      program: "flock",
      args: ["-x", ...wait, "3"],
      inherit: [descriptor],
    });
    if (succeeded(ended)) return { descriptor, release };
  } catch (error) {
    release();
    throw error;
  }
  release();
  return null;
}

/** Runs `action` while this daemon has the lock. Rejects with `NodeFailure` if it does not get it in time. */
export async function whileLocked<T>(
  run: Runner,
  path: string,
  waitMs: number,
  action: () => Promise<T>,
): Promise<T> {
  const lock = await lockFile(run, path, waitMs);
  if (lock === null) throw new NodeFailure(`Failed to lock ${path}: it is held by another process`);
  try {
    return await action();
  } finally {
    lock.release();
  }
}
