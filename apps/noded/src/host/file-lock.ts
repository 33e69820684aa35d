/** Exclusive locks on files, as flock(2) gives them. */
import { closeSync, openSync } from "node:fs";
import { NodeFailure } from "../failure.js";
import { outputOf, type Runner, reasonOf, succeeded } from "../machine/runner.js";

/** A lock that is held until `release`, or until the daemon ends. */
export interface FileLock {
  readonly descriptor: number;
  release(): void;
}

/** Creates the file and locks it; null if another process still holds the lock after `waitMs`. Rejects as `lockOpenFile` does. */
export async function lockFile(
  run: Runner,
  path: string,
  waitMs: number,
  mode = 0o600,
): Promise<FileLock | null> {
  const descriptor = openSync(path, "a+", mode);
  const release = (): void => closeSync(descriptor);
  try {
    if (await lockOpenFile(run, { descriptor, path }, waitMs)) return { descriptor, release };
  } catch (error) {
    release();
    throw error;
  }
  release();
  return null;
}

/** Exit status of flock(1) if another process holds the lock; its other failures have statuses of sysexits.h. */
const isHeld = 1;

/**
 * Locks the file; false if another process still holds the lock after `waitMs`. The lock belongs to a descriptor of the
 * daemon until that is closed: the program flock(1) inherits the descriptor, locks it and ends. Rejects with `NodeFailure`
 * if the program fails for another reason, e.g. on a file system without locks.
 */
export async function lockOpenFile(
  run: Runner,
  { descriptor, path }: { readonly descriptor: number; readonly path: string },
  waitMs: number,
): Promise<boolean> {
  const wait = waitMs === 0 ? ["-n"] : ["-w", String(waitMs / 1000)];
  const args = ["-x", ...wait, "3"];
  const ended = await run.run({ program: "flock", args, inherit: [descriptor] });
  if (succeeded(ended)) return true;
  if (ended.code === isHeld) return false;
  throw new NodeFailure(`Cannot lock ${path}: ${reasonOf(ended)}; output: ${outputOf(ended)}`);
}

/** Runs `action` while this daemon holds the lock. Rejects with `NodeFailure` if it cannot be acquired in time. */
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
