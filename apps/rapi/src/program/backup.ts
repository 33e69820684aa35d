/** Backup of a data directory to one file, and its restoration: database, nodes, users and certificate. */

import {
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
import { dirname, join, resolve } from "node:path";
import { HaltError, JobQueue, type JobStore } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import type { GanetiSite } from "@ganeti-ts/machines";
import { isFinalized, nanosecondsOf, secureRandom, systemClock } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import {
  copySqlite,
  encloseFiles,
  isSqlite,
  openSqliteAccessStore,
  openSqliteConfigStore,
  openSqliteStore,
  settleSqlite,
  sqliteDamage,
  takeEnclosedFiles,
  takeOwnership,
} from "@ganeti-ts/store/sqlite";
import {
  type Adopted,
  adoptedOf,
  bringBackGanetiFiles,
  checkSameCluster,
  ganetiFiles,
  ownPresentConfiguration,
  prepareQueue,
  readAdopted,
  stampsIn,
  writeAdopted,
} from "@ganeti-ts/takeover";
import { type DataDirectory, makeFolder } from "./data-directory.js";
import { StartError } from "./start-error.js";
import { twinMarkFile } from "./twin-mark.js";

/** Called after each step that changes the disk, so that tests can interrupt there. */
type Reached = (step: string) => void;

const nobody: Reached = () => {};

/** Files of SQLite next to a database. */
const besides = ["-wal", "-shm", "-journal"];

const remove = (path: string): void => {
  for (const end of ["", ...besides]) rmSync(`${path}${end}`, { force: true });
};

/** Names in a backup, with their files; the nodes are a copy made for the backup. */
const enclosed = ({
  path,
  users,
  certificate,
  confdKey,
  sessionKey,
  realNodes,
}: DataDirectory): readonly (readonly [string, string])[] => [
  ["users", users],
  ["certificate", certificate],
  ["confd key", confdKey],
  ["session key", sessionKey],
  ["real nodes", realNodes],
  // A restored twin must stay a twin, because its nodes are simulated.
  ["twin", twinMarkFile(path)],
];

const nodes = "nodes";

/** Name of the adoption record in a backup; with it, the backup also contains Ganeti's files. */
const adoptedName = "adopted";

/**
 * Writes the cluster to the file atomically, while another process may serve it. The nodes are copied after the
 * configuration, so that they have everything that it names. @throws StartError, errors of the system about the file
 */
export async function backUp(
  directory: DataDirectory,
  file: string,
  reached = nobody,
): Promise<void> {
  const { database, path } = directory;
  if (sizeOf(database) === 0) throw new StartError(`there is no cluster in ${path} to back up`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StartError(`there is no folder ${folder} for the backup`);
  checkSound(database);
  const [fresh, copy] = [`${file}.new`, `${file}.nodes`];
  const removeBoth = () => [fresh, copy].forEach(remove);
  removeBoth();
  // The database driver would not report why it cannot write a file.
  writeFileSync(fresh, "", { mode: 0o600 });
  try {
    await writeCopy(directory, { file, fresh, copy }, reached);
  } catch (error) {
    removeBoth();
    throw error;
  }
}

interface BackupFiles {
  readonly file: string;
  /** Temporary files: the incomplete backup, and the copy of the nodes. */
  readonly fresh: string;
  readonly copy: string;
}

async function writeCopy(
  directory: DataDirectory,
  { file, fresh, copy }: BackupFiles,
  reached: Reached,
): Promise<void> {
  copySqlite(directory.database, fresh);
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
  const adopted = readAdopted(directory.adopted);
  if (adopted !== undefined && adopted.state !== "handed back") {
    files.set(adoptedName, readFileSync(directory.adopted));
    for (const [name, content] of await ganetiFiles(adopted.site)) files.set(name, content);
  }
  encloseFiles(fresh, files);
  checkSound(fresh);
  reached("enclosed");
  renameSynced(fresh, file);
}

/** Place of Ganeti's files, if it differs from the original one. */
export type OtherPlace = Partial<GanetiSite>;

/** Callbacks of a restoration. */
interface Steps {
  reached(step: string): void;
  /** Registers a function that undoes a step; called in reverse order if a later step fails. */
  undo(back: () => void): void;
  readonly place?: OtherPlace;
}

/**
 * Restores the cluster from the file. An existing database is set aside; existing nodes, users and certificate stay. A
 * filter rule holds jobs that had not ended. A failure leaves everything unchanged; after an interruption the restoration
 * can be repeated. Returns the name under which the existing database was set aside, if there was one.
 * @throws StartError; HaltError for a backup of a newer version
 */
export async function restore(
  directory: DataDirectory,
  file: string,
  {
    place = {},
    reached = nobody,
  }: { readonly place?: OtherPlace; readonly reached?: Reached } = {},
): Promise<string | undefined> {
  const undo: (() => void)[] = [];
  const steps = { place, reached, undo: (back: () => void) => void undo.push(back) };
  try {
    return await restoreInSteps(directory, file, steps);
  } catch (error) {
    for (const back of undo.reverse()) back();
    throw error;
  }
}

/** The same without undoing steps after a failure, like a killed process. */
export async function restoreInSteps(
  directory: DataDirectory,
  file: string,
  steps: Steps,
): Promise<string | undefined> {
  const { database, path } = directory;
  const { reached, undo } = steps;
  checkBackup(file);
  const locks = [database, `${database}.config`].map((one) => owned(one, path));
  try {
    const fresh = `${database}.restored`;
    remove(fresh);
    undo(() => remove(fresh));
    copyFileSync(file, fresh);
    reached("copied");
    const files = takeEnclosedFiles(fresh);
    if (files === undefined) throw notBackup(file);
    const adopted = adoptedIn(files, file, steps.place);
    if (adopted !== undefined) {
      if (readAdopted(directory.adopted)?.state === "handed back") throw handedBack(path);
      checkSameCluster(adopted.site, files, file);
    }
    settleSqlite(fresh);
    await prepared(fresh, file);
    reached("held");
    bringBack(directory, files, undo);
    if (adopted !== undefined) await becomeMaster(directory, adopted, { files, file, undo });
    reached("files");
    const aside = setAside(database, steps);
    reached("aside");
    renameSynced(fresh, database);
    remove(fresh);
    return aside;
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** @throws StartError, errors of the system about the file */
function checkBackup(file: string): void {
  if (!existsSync(file)) throw new StartError(`there is no file ${file}`);
  closeSync(openSync(file, "r"));
  if (!statSync(file).isFile() || !isSqlite(file)) throw notBackup(file);
  checkSound(file);
}

const notBackup = (file: string): StartError =>
  new StartError(`${file} is not a backup of ganeti-rapi --backup`);

/** Restores missing files. */
function bringBack(
  directory: DataDirectory,
  files: ReadonlyMap<string, Uint8Array>,
  undo: Steps["undo"],
): void {
  for (const [name, to] of [...enclosed(directory), [nodes, directory.nodes] as const]) {
    const content = files.get(name);
    if (content === undefined || existsSync(to)) continue;
    makeFolder(dirname(to));
    undo(() => [`${to}.new`, to].forEach(remove));
    writeFileSync(`${to}.new`, content, { mode: 0o600 });
    renameSynced(`${to}.new`, to);
  }
}

/** The adoption record in a backup, changed so that the queue files are written again. @throws HaltError */
function adoptedIn(
  files: ReadonlyMap<string, Uint8Array>,
  source: string,
  place: OtherPlace = {},
): Adopted | undefined {
  const content = files.get(adoptedName);
  if (content === undefined) return undefined;
  const { site, ...adopted } = adoptedOf(Buffer.from(content).toString("utf8"), source);
  return { ...adopted, site: { ...site, ...place }, queueIsComplete: false };
}

const handedBack = (path: string): StartError =>
  new StartError(
    `the cluster in ${path} was handed back to Ganeti: restore into another --data-dir`,
  );

interface Source {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly file: string;
  readonly undo: Steps["undo"];
}

/**
 * Restores Ganeti's files. The `config.data` counts as the server's own, restored or left over; the server writes the
 * files of the queue at its next start.
 */
async function becomeMaster(
  directory: DataDirectory,
  adopted: Adopted,
  { files, file, undo }: Source,
): Promise<void> {
  for (const one of [directory.adopted, directory.ownStamps]) {
    const before = existsSync(one) ? readFileSync(one) : undefined;
    undo(() => {
      if (before === undefined) rmSync(one, { force: true });
      else writeFileSync(one, before, { mode: 0o600 });
    });
  }
  const wasKnown =
    existsSync(join(adopted.site.data, "config.data")) && existsSync(directory.ownStamps);
  await bringBackGanetiFiles(adopted.site, files, { source: file, undo });
  prepareQueue(adopted.site, undo);
  if (!wasKnown) await ownPresentConfiguration(adopted.site, stampsIn(directory.ownStamps));
  writeAdopted(directory.adopted, adopted);
}

const inOneGo: Steps = { reached: nobody, undo() {} };

/**
 * Sets a database aside. The main file is renamed first, so that the other files are never taken for parts of another
 * database.
 */
export function setAside(database: string, { reached, undo }: Steps = inOneGo): string | undefined {
  const hadOne = sizeOf(database) > 0;
  if (hadOne && sqliteDamage(database) === undefined) settleSqlite(database);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const aside = `${database}.before-${stamp}`;
  for (const end of ["", ...besides]) {
    if (!existsSync(`${database}${end}`)) continue;
    renameSync(`${database}${end}`, `${aside}${end}`);
    undo(() => renameSync(`${aside}${end}`, `${database}${end}`));
    reached(`aside${end}`);
  }
  return hadOne ? aside : undefined;
}

/**
 * Upgrades the tables to this version, and adds a rule that holds unfinished jobs until an administrator has checked them,
 * because they may have run since the backup. @throws HaltError if the tables are of a newer version
 */
async function prepared(database: string, file: string): Promise<void> {
  const stores: { close(): Promise<void> }[] = [];
  try {
    stores.push(openSqliteConfigStore(database));
    stores.push(openSqliteAccessStore(database));
    const store = openSqliteStore(database);
    stores.push(store);
    await holdJobs(store);
  } catch (error) {
    throw error instanceof HaltError
      ? new HaltError(error.reason, `${file}: ${error.message}`)
      : error;
  } finally {
    for (const one of stores) await one.close();
    for (const one of [database, `${database}.config`]) remove(`${one}.lock`);
  }
}

async function holdJobs(store: JobStore): Promise<void> {
  const clock = systemClock;
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock,
    random: secureRandom,
    patterns: compilePattern,
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

/** Renames a file durably: its content is on disk before the rename, and the rename before this returns. */
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
