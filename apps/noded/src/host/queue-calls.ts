/** Copies of the master's job queue, on master candidates. */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { ownerOf } from "./accounts.js";
import { whileLocked } from "./file-lock.js";
import { replaceFile, syncDirectory } from "./replaced-file.js";

const isJobFile = (name: string): boolean => /^job-\d+$/.test(name);

export function queueCalls(context: NodeContext) {
  const { paths, run } = context;
  const queue = join(paths.data, "queue");
  /** Path on this machine of a file in the queue's directory. */
  const inQueue = (given: string): string => {
    const path = located(paths, given);
    if (normalize(path) === path && path.startsWith(`${queue}/`)) return path;
    throw new NodeFailure(
      `Passed job queue file '${given}' does not belong to the queue directory '${queue}'`,
    );
  };
  const changing = async (change: () => Promise<void>): Promise<void> => {
    await mkdir(queue, { recursive: true, mode: 0o750 });
    await whileLocked(run, join(queue, "lock"), 10_000, change);
  };
  const owner = () => ownerOf(context, "gnt-masterd", "gnt-daemons");
  return handlers({
    async jobqueue_update({ path, content }) {
      const file = inQueue(path);
      const attributes = { ...(await owner()), mode: 0o640 };
      await changing(() => replaceFile(file, content, attributes));
    },
    async jobqueue_rename({ renames }) {
      const moves = renames.map(({ from, to }) => ({ from: inQueue(from), to: inQueue(to) }));
      await changing(async () => {
        for (const { from, to } of moves) await move(from, to);
      });
      return moves.map(() => null);
    },
    jobqueue_purge: () => changing(() => purge(queue)),
    async jobqueue_set_drain_flag({ drained }) {
      const flag = join(queue, "drain");
      const attributes = { ...(await owner()), mode: 0o644 };
      await changing(async () => {
        if (drained) await replaceFile(flag, "", attributes);
        else await rm(flag, { force: true });
      });
    },
  });
}

/** Moves a file; one that an earlier equal call has moved already stays where it is. */
async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o750 });
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !(await exists(to))) throw error;
  }
  await syncDirectory(dirname(to));
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Removes the files of all jobs, including archived ones, and the serial file; the lock file stays. */
export async function purge(queue: string): Promise<void> {
  for (const entry of await readdir(queue, { withFileTypes: true })) {
    if (entry.isFile() && isJobFile(entry.name)) await rm(join(queue, entry.name));
  }
  await rm(join(queue, "archive"), { recursive: true, force: true });
  await mkdir(join(queue, "archive"), { mode: 0o750 });
}
