/** User ids of a pool, each used by one instance at a time, with locks that every program on the node sees. */
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { lockOpenFile } from "../host/file-lock.js";
import { outputOf } from "../machine/runner.js";
import { exists, makeFolder, removeIfThere } from "./state-files.js";

type Ports = Pick<NodeContext, "run" | "paths" | "random">;

/** An id that is locked for its holder. */
export interface LockedUid {
  readonly uid: number;
  /** Removes the file while it is locked, then ends the lock: nobody else can have the id in between. */
  release(): Promise<void>;
  /** Ends the lock and leaves the file: a process runs under the id now. */
  unlock(): void;
}

const folderOf = ({ paths }: Pick<Ports, "paths">): string => join(paths.run, "uid-pool");

/**
 * An id of `all` under which no process runs, locked. Ids without a file are tried first, in random order. A file
 * that was left behind only means that its id is probably in use: the lock and the processes decide.
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
 * Gives an id back that is held or, by its number, one whose process has ended. In the latter case another instance may
 * have taken it in the meantime: while it starts it has the lock, and afterwards `isTaken` is true. Then the file is left alone.
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

/** Runs `action` with an unused id, which is given back if it fails and else stays in use. */
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

/** Ids of the lines of the ssconf file `uid_pool`: `1000` or `1000-1010`. */
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

/** Null if another program has the lock. */
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
    // A file that was removed in between would be the lock of an id that another one can take.
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
