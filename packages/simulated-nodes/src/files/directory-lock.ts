/** Keeps other processes of this machine out of a directory, for as long as something short takes. */
import { linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Nobody holds it for longer than a few milliseconds: who does is not there any more. */
const heldMsMax = 10_000;

/**
 * Runs `act` while no other process holds the directory. Waits by sleeping. What a process held that
 * died is free: it is known by its number.
 */
export function holdDirectory<T>(directory: string, act: () => T): T {
  const lock = join(directory, "lock");
  const breaker = join(directory, "lock.breaker");
  const own = join(directory, `lock.${process.pid}`);
  writeFileSync(own, String(process.pid), { mode: 0o600 });
  try {
    while (!isLinked(own, lock)) {
      if (isAbandoned(lock)) breakLock(own, lock, breaker);
      else sleep(1);
    }
    try {
      return act();
    } finally {
      remove(lock);
    }
  } finally {
    remove(own);
  }
}

/** One at a time, and only what is still abandoned then: else a new holder would lose it. */
function breakLock(own: string, lock: string, breaker: string): void {
  if (!isLinked(own, breaker)) {
    if (isAbandoned(breaker)) remove(breaker);
    else sleep(1);
    return;
  }
  try {
    if (isAbandoned(lock)) remove(lock);
  } finally {
    remove(breaker);
  }
}

/** Whether the one name now means the other file, which only one of many can bring about. */
function isLinked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function isAbandoned(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return !isAlive(pid) || Date.now() - statSync(path).mtimeMs > heldMsMax;
  } catch (error) {
    // It has just been let go.
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const nobody = new Int32Array(new SharedArrayBuffer(4));
const sleep = (ms: number): void => void Atomics.wait(nobody, 0, 0, ms);
