/** Stores of jobs, locks, the configuration and simulated nodes. */
import { existsSync, readFileSync, statSync } from "node:fs";
import type { ClusterStores } from "@ganeti-ts/cluster";
import { createLockManager } from "@ganeti-ts/locking";
import type { NodeStates } from "@ganeti-ts/simulated-nodes";
import type { PostgresServers } from "@ganeti-ts/store/postgres";
import {
  openSqliteConfigStore,
  openSqliteNodeStates,
  openSqliteStore,
  sqliteDamage,
} from "@ganeti-ts/store/sqlite";
import type { DataDirectory } from "./data-directory.js";
import type { Options } from "./options.js";
import { StartError } from "./start-error.js";

export interface Stores extends ClusterStores {
  /** State of simulated nodes. */
  readonly nodeStates: NodeStates;
  /** Records of the servers that share the stores; undefined where this process is the only one. */
  readonly servers?: PostgresServers;
  /** To be called after the cluster has closed the other stores. */
  closeNodeStates(): Promise<void>;
}

/**
 * Without a connection string: files of the data directory, for this process alone.
 * @throws StartError if a database does not let us in, or another process has the files
 */
export async function openStores(
  { store: connection, leaseMs }: Pick<Options, "store" | "leaseMs">,
  directory: DataDirectory,
): Promise<Stores> {
  if (connection === undefined) {
    const { jobs, config } = openFiles(directory);
    const nodeStates = openSqliteNodeStates(directory.nodes);
    return {
      jobs,
      config,
      locks: createLockManager(),
      nodeStates,
      closeNodeStates: () => nodeStates.close(),
    };
  }
  // Loaded on demand, because other stores need no database driver.
  const {
    openPostgresConfigStore,
    openPostgresNodeStates,
    openPostgresServers,
    openPostgresStore,
  } = await import("@ganeti-ts/store/postgres");
  const jobs = await openPostgresStore({ connection, leaseMs }).catch((error: Error) => {
    throw new StartError(`the database of --store: ${error.message}`, { cause: error });
  });
  const config = await openPostgresConfigStore({ connection });
  const nodeStates = await openPostgresNodeStates({ connection, turnMs: leaseMs });
  const servers = await openPostgresServers({ connection });
  return {
    jobs,
    config,
    locks: createLockManager({ store: jobs.locks }),
    ...{ nodeStates, servers },
    async closeNodeStates() {
      await nodeStates.close();
      await servers.close();
    },
  };
}

/** Closes stores on which no cluster was opened. */
export async function closeUnused(stores: Stores): Promise<void> {
  await stores.jobs.close();
  await stores.config.close();
  await stores.closeNodeStates();
}

/** SQLite's lock on them ends with the process that holds it, whatever ends that; while it stands still it holds on. */
function openFiles({ path, database, pid }: DataDirectory) {
  checkSound(database);
  try {
    return { jobs: openSqliteStore(database), config: openSqliteConfigStore(database) };
  } catch (error) {
    const cause = (error as Error).cause as { readonly code?: unknown } | undefined;
    if (cause?.code !== "SQLITE_BUSY") throw error;
    const owner = livingProcess(pid);
    const who = owner === undefined ? "another process" : `process ${owner}`;
    throw new StartError(`the data directory ${path} is in use by ${who}`, { cause: error });
  }
}

/** Largest database (bytes) checked at each start: this takes about a second. */
const checkedBytesMax = 256 * 1024 * 1024;

/** @throws StartError if the file is damaged, with the way out */
function checkSound(database: string): void {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) > checkedBytesMax) return;
  const damage = sqliteDamage(database);
  if (damage === undefined) return;
  throw new StartError(
    `${database} is damaged (${damage}): bring back a backup with ganeti-rapi --restore=FILE, which sets it aside`,
  );
}

/**
 * Process named in the pid file, if it is alive. A process writes its id when it serves; after a kill the id
 * remains.
 */
function livingProcess(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8"));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? pid : undefined;
  }
}
