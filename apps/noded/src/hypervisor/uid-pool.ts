/** Pool of user ids, each used by one instance at a time, with locks that all programs on the node respect. */
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { lockOpenFile } from "../host/file-lock.js";
import { outputOf } from "../machine/runner.js";
import { exists, makeFolder, removeIfThere } from "./state-files.js";

type Ports = Pick<NodeContext, "run" | "paths" | "random">;

/** A locked id. */
export interface LockedUid {
  readonly uid: number;
  /** Removes the file before the lock ends, so that no other program can take the id in between. */
  release(): Promise<void>;
  /** Ends the lock and leaves the file: a process runs under the id now. */
  unlock(): void;
}

const folderOf = ({ paths }: Pick<Ports, "paths">): string => join(paths.run, "uid-pool");

/**
 * Locks an id of `all` under which no process runs. Ids without a file are tried first, in random order. An existing file
 * only means that the id is probably in use; the lock and the running processes decide.
 */
export async function requestUnusedUid(ports: Ports, all: ReadonlySet<number>): Promise<LockedUid> {
  const folder = folderOf(ports);
  await makeFolder(folder, 0o755).catch((error: Error) => {
    throw new NodeFailure(`Failed to create user-id pool lock dir: ${error.message}`);
  });
  const listed = new Set((await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number));
  const taken = [...all].filter((uid) => listed.has(uid));
  const free = [...all].filter((uid) => !listed.has(uid));
  for (const uid of [...shuffled(free, ports), ...shuffled(taken, ports)]) {
    const locked = await lockUid(ports, uid);
    if (locked === null) continue;
    try {
      if (!(await isUsed(ports, uid))) return locked;
    } catch (error) {
      locked.unlock();
      throw error;
    }
    locked.unlock();
  }
  throw new NodeFailure("Failed to find an unused user-id");
}

/**
 * Releases a locked id or, given as a number, one whose process has ended. In the latter case another instance may have
 * taken the id meanwhile: it holds the lock while it starts, and afterwards `isTaken` is true. The file is left alone then.
 */
export async function releaseUid(
  ports: Pick<Ports, "run" | "paths">,
  held: LockedUid | number,
  isTaken: () => Promise<boolean> = async () => false,
): Promise<void> {
  if (typeof held !== "number") return held.release();
  if (!(await exists(join(folderOf(ports), String(held))))) return;
  const locked = await lockUid(ports, held);
  if (locked === null) return;
  try {
    if (!(await isTaken())) await locked.release();
  } finally {
    locked.unlock();
  }
}

/** Runs `action` with an unused id, which is released if the action fails and otherwise stays in use. */
export async function execWithUnusedUid<T>(
  ports: Ports,
  all: ReadonlySet<number>,
  action: (uid: number) => Promise<T>,
): Promise<T> {
  const locked = await requestUnusedUid(ports, all);
  let value: T;
  try {
    value = await action(locked.uid);
  } catch (error) {
    await releaseUid(ports, locked);
    throw error;
  }
  locked.unlock();
  return value;
}

/** Parses the lines of the ssconf file `uid_pool`: `1000` or `1000-1010`. */
export function poolOf(lines: readonly string[]): ReadonlySet<number> {
  const ids = lines.flatMap((line) => {
    const range = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(line);
    if (range === null) throw new NodeFailure(`Invalid user-id range definition: ${line}`);
    const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  });
  return new Set(ids);
}

function shuffled(uids: readonly number[], { random }: Pick<Ports, "random">): readonly number[] {
  const order = [...uids];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random.fraction() * (at + 1));
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
  return order;
}

/** Locks an id; null if another program holds the lock. */
async function lockUid(
  { run, paths }: Pick<Ports, "run" | "paths">,
  uid: number,
): Promise<LockedUid | null> {
  const path = join(folderOf({ paths }), String(uid));
  let descriptor: number;
  try {
    descriptor = openSync(path, "a", 0o600);
  } catch (error) {
    throw new NodeFailure(
      `Failed to create lockfile for user-id ${uid}: ${(error as Error).message}`,
    );
  }
  let isOpen = true;
  const unlock = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  const release = async (): Promise<void> => {
    await removeIfThere(path).catch((error: Error) => {
      const what = `Failed to remove user-id lockfile for user-id ${uid}`;
      throw new NodeFailure(`${what}: ${error.message}`);
    });
    unlock();
  };
  try {
    const isLocked = await lockOpenFile(run, { descriptor, path }, 0);
    // If the file was removed in between, the lock would not keep others from taking the id.
    if (isLocked && isSame(descriptor, path)) return { uid, unlock, release };
  } catch (error) {
    unlock();
    throw error;
  }
  unlock();
  return null;
}

/** Whether the open file is still the one at the path. */
function isSame(descriptor: number, path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.ino === fstatSync(descriptor).ino;
}

async function isUsed({ run }: Pick<Ports, "run">, uid: number): Promise<boolean> {
  const ended = await run.run({ program: "pgrep", args: ["-u", String(uid)] });
  const { code } = ended;
  if (code === 0) return true;
  if (code === 1) return false;
  throw new NodeFailure(`Running pgrep failed. exit code: ${code}, output: ${outputOf(ended)}`);
}
