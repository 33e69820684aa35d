/** The whole of a data directory in one file, and back: database, nodes, users and certificate. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { isFinalized, nanosecondsOf, secureRandom, systemClock } from "@ganeti-ts/protocol";
import {
  copySqlite,
  encloseFiles,
  openSqliteStore,
  settleSqlite,
  sqliteDamage,
  takeEnclosedFiles,
  takeOwnership,
} from "@ganeti-ts/store/sqlite";
import { twinMarkFile } from "../twin/twin-mark.js";
import { type DataDirectory, makeFolder } from "./data-directory.js";
import { StartError } from "./start-error.js";

/** Called after each step that leaves something on the disk: tests end it there. */
type Reached = (step: string) => void;

const nobody: Reached = () => {};

/** Files of SQLite next to a database. */
const besides = ["-wal", "-shm", "-journal"];

const remove = (path: string): void => {
  for (const end of ["", ...besides]) rmSync(`${path}${end}`, { force: true });
};

/** Names in a backup, with the files that they stand for; the nodes are a copy made for the purpose. */
const enclosed = ({
  path,
  users,
  certificate,
}: DataDirectory): readonly (readonly [string, string])[] => [
  ["users", users],
  ["certificate", certificate],
  // Wherever the backup is brought back, its nodes are simulated.
  ["twin", twinMarkFile(path)],
];

const nodes = "nodes";

/**
 * Writes the cluster into the file, whole or not at all, while another process may serve it. The nodes come after the
 * configuration, so that they have everything that it knows. @throws StartError
 */
export function backUp(directory: DataDirectory, file: string, reached = nobody): void {
  const { database, path } = directory;
  if (sizeOf(database) === 0) throw new StartError(`there is no cluster in ${path} to back up`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StartError(`there is no folder ${folder} for the backup`);
  checkSound(database);
  const fresh = `${file}.new`;
  const copy = `${file}.nodes`;
  for (const one of [fresh, copy]) remove(one);
  copySqlite(database, fresh);
  chmodSync(fresh, 0o600);
  reached("database");
  const files = new Map<string, Uint8Array>();
  for (const [name, from] of enclosed(directory)) {
    if (existsSync(from)) files.set(name, readFileSync(from));
  }
  if (sizeOf(directory.nodes) > 0) {
    copySqlite(directory.nodes, copy);
    reached("nodes");
    files.set(nodes, readFileSync(copy));
    remove(copy);
  }
  encloseFiles(fresh, files);
  checkSound(fresh);
  reached("enclosed");
  renameSynced(fresh, file);
}

/**
 * Brings the cluster back from the file. The present database is set aside, nodes, users and certificate stay if they
 * are there. Jobs that had not ended are held by a filter rule. If it is cut short, it is done again.
 * Gives the name under which the present database was set aside, if there was one. @throws StartError
 */
export async function restore(
  directory: DataDirectory,
  file: string,
  reached = nobody,
): Promise<string | undefined> {
  const { database, path } = directory;
  if (!existsSync(file)) throw new StartError(`there is no file ${file}`);
  checkSound(file);
  const locks = [database, `${database}.config`].map((one) => owned(one, path));
  try {
    const fresh = `${database}.restored`;
    remove(fresh);
    copyFileSync(file, fresh);
    reached("copied");
    const files = takeEnclosedFiles(fresh);
    if (files === undefined)
      throw new StartError(`${file} is not a backup of ganeti-rapi --backup`);
    settleSqlite(fresh);
    await holdJobs(fresh);
    reached("held");
    bringBack(directory, files);
    reached("files");
    const aside = setAside(database, reached);
    reached("aside");
    renameSynced(fresh, database);
    remove(fresh);
    return aside;
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Files that are missing. */
function bringBack(directory: DataDirectory, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, to] of [...enclosed(directory), [nodes, directory.nodes] as const]) {
    const content = files.get(name);
    if (content === undefined || existsSync(to)) continue;
    makeFolder(dirname(to));
    writeFileSync(`${to}.new`, content, { mode: 0o600 });
    renameSynced(`${to}.new`, to);
  }
}

/**
 * The main file goes first: without it, the other files are never taken for parts of another
 * database.
 */
export function setAside(database: string, reached = nobody): string | undefined {
  const hadOne = sizeOf(database) > 0;
  if (hadOne && sqliteDamage(database) === undefined) settleSqlite(database);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const aside = `${database}.before-${stamp}`;
  for (const end of ["", ...besides]) {
    if (!existsSync(`${database}${end}`)) continue;
    renameSync(`${database}${end}`, `${aside}${end}`);
    reached(`aside${end}`);
  }
  return hadOne ? aside : undefined;
}

/**
 * Jobs of the backup may have run since: a rule holds them until an administrator has checked them.
 */
async function holdJobs(database: string): Promise<void> {
  const clock = systemClock;
  const store = openSqliteStore(database);
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock,
    random: secureRandom,
  });
  const rows = await queue.query([], ["id", "status"]);
  const open = rows.flatMap((row) =>
    row === undefined || row === null || isFinalized(row[1] as never) ? [] : [Number(row[0])],
  );
  if (open.length > 0) {
    await queue.addRule({
      priority: 0,
      predicates: [["jobid", ["<=", "id", Math.max(...open)]]],
      action: "PAUSE",
      reason: [
        [
          "gnt:server",
          "restored from a backup: may have run since",
          nanosecondsOf(clock.wallMicros()),
        ],
      ],
    });
  }
  await queue.stop({ graceMs: 0 });
  await store.close();
  rmSync(`${database}.lock`, { force: true });
}

function owned(database: string, path: string) {
  try {
    return takeOwnership(database);
  } catch (error) {
    throw new StartError(`the data directory ${path} is in use: stop its server first`, {
      cause: error,
    });
  }
}

/** @throws StartError */
function checkSound(file: string): void {
  const damage = sqliteDamage(file);
  if (damage !== undefined) throw new StartError(`${file} is damaged: ${damage}`);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** On disk before it has its name, and the name before this returns. */
function renameSynced(from: string, to: string): void {
  sync(from);
  renameSync(from, to);
  sync(dirname(to));
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
