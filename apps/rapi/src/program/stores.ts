/** Stores of jobs, locks, the configuration and simulated nodes. */
import { existsSync, readFileSync, statSync } from "node:fs";
import type { ClusterStores } from "@ganeti-ts/cluster";
import { type AccessStore, HaltError } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import type { NodeStates } from "@ganeti-ts/simulated-nodes";
import type { PostgresServers } from "@ganeti-ts/store/postgres";
import {
  openSqliteAccessStore,
  openSqliteConfigStore,
  openSqliteNodeStates,
  openSqliteStore,
  sqliteDamage,
} from "@ganeti-ts/store/sqlite";
import type { DataDirectory } from "./data-directory.js";
import { keepMemory, readMemory } from "./database-memory.js";
import type { Options } from "./options.js";
import { StartError } from "./start-error.js";

export interface Stores extends ClusterStores {
  /** Records of logins and of actions that are not jobs. */
  readonly access: AccessStore;
  /** State of simulated nodes. */
  readonly nodeStates: NodeStates;
  /** Records of the servers that share the stores; undefined where this process is the only one. */
  readonly servers?: PostgresServers;
  /** Records the last commits for the next process; to be called when this one has to end at once. */
  remember(): void;
  /** Closes the stores that the cluster does not close; to be called after it has closed the others. */
  closeOwn(): Promise<void>;
}

type StoreOptions = Pick<Options, "store" | "leaseMs" | "acceptsLoss">;

/**
 * Opens the stores; without a connection string, files of the data directory for this process alone.
 * @throws StartError if a database refuses the connection, or another process uses the files; HaltError for a database of
 * a newer version, or one that lacks commits acknowledged to this server
 */
export async function openStores(options: StoreOptions, directory: DataDirectory): Promise<Stores> {
  if (options.store === undefined) {
    const { jobs, config, access, nodeStates } = await openFiles(directory);
    return {
      jobs,
      config,
      locks: createLockManager(),
      ...{ nodeStates, access },
      remember() {},
      async closeOwn() {
        await nodeStates.close();
        await access.close();
      },
    };
  }
  return openDatabase(options, options.store, directory);
}

async function openDatabase(
  { leaseMs, acceptsLoss }: StoreOptions,
  connection: string,
  directory: DataDirectory,
): Promise<Stores> {
  // Loaded on demand, because other stores need no database driver.
  const {
    openPostgresAccessStore,
    openPostgresConfigStore,
    openPostgresNodeStates,
    openPostgresServers,
    openPostgresStore,
  } = await import("@ganeti-ts/store/postgres");
  const before = acceptsLoss ? {} : readMemory(directory.databaseMemory);
  const { kept, closeAll } = opening();
  const open = async () => {
    const jobs = kept(await openPostgresStore({ connection, leaseMs, known: before.jobs }));
    const onLoss = (error: HaltError) => jobs.halt(error);
    const known = before.config;
    const config = kept(await openPostgresConfigStore({ connection, known, onLoss }));
    const nodeStates = kept(await openPostgresNodeStates({ connection, turnMs: leaseMs }));
    const access = kept(await openPostgresAccessStore({ connection }));
    const servers = await openPostgresServers({ connection });
    return { jobs, config, nodeStates, access, servers };
  };
  const { jobs, config, nodeStates, access, servers } = await open().catch(async (error: Error) => {
    await closeAll();
    if (error instanceof HaltError) throw named(ofStore, error);
    throw new StartError(`${ofStore}: ${error.message}`, { cause: error });
  });
  const memory = keepMemory(directory.databaseMemory, () => ({
    jobs: jobs.known ?? before.jobs,
    config: config.known ?? before.config,
  }));
  return {
    jobs,
    config,
    locks: createLockManager({ store: jobs.locks }),
    ...{ nodeStates, servers, access },
    remember: memory.write,
    async closeOwn() {
      memory.stop();
      await nodeStates.close();
      await servers.close();
      await access.close();
    },
  };
}

/** Stores that are closed if a later one cannot be opened. */
function opening() {
  const opened: { close(): Promise<void> }[] = [];
  return {
    kept<Opened extends { close(): Promise<void> }>(one: Opened): Opened {
      opened.push(one);
      return one;
    },
    async closeAll() {
      for (const one of opened) await one.close();
    },
  };
}

const ofStore = "the database of --store";

/** Adds the place to errors about versions. */
const named = (place: string, error: HaltError): HaltError =>
  error.reason === "version" ? new HaltError("version", `${place}: ${error.message}`) : error;

/** Opens the stores for `use` alone, without a cluster on them, and closes them. @throws as `openStores` */
export async function withStores<Value>(
  options: StoreOptions,
  directory: DataDirectory,
  use: (stores: Stores) => Promise<Value>,
): Promise<Value> {
  const stores = await openStores(options, directory);
  try {
    return await use(stores);
  } finally {
    await closeUnused(stores);
  }
}

/** Closes stores on which no cluster was opened. */
export async function closeUnused(stores: Stores): Promise<void> {
  await stores.jobs.close();
  await stores.config.close();
  await stores.closeOwn();
}

/** Opens the files under SQLite's lock, which ends with its process, however that ends, but survives while it is suspended. */
async function openFiles({ path, database, nodes, pid }: DataDirectory) {
  checkSound(database);
  const { kept, closeAll } = opening();
  let place = database;
  try {
    const jobs = kept(openSqliteStore(database));
    const config = kept(openSqliteConfigStore(database));
    const access = kept(openSqliteAccessStore(database));
    place = nodes;
    return { jobs, config, access, nodeStates: openSqliteNodeStates(nodes) };
  } catch (error) {
    await closeAll();
    if (error instanceof HaltError) throw named(place, error);
    const cause = (error as Error).cause as { readonly code?: unknown } | undefined;
    if (cause?.code !== "SQLITE_BUSY") throw error;
    const owner = livingProcess(pid);
    const who = owner === undefined ? "another process" : `process ${owner}`;
    throw new StartError(`the data directory ${path} is in use by ${who}`, { cause: error });
  }
}

/** Maximum size (bytes) of a database that is checked at each start, which takes about a second. */
const checkedBytesMax = 256 * 1024 * 1024;

/** @throws StartError with the remedy if the file is damaged */
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

/** If opening fails, the stores are closed. */
export async function openOn<Opened>(stores: Stores, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    await closeUnused(stores);
    throw error;
  }
}
