/** Paths in the server's data directory. */
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";

export type DataDirectory = Readonly<ReturnType<typeof openDataDirectory>>;

/** `given`, or `GANETI_TS_DATA`, or the default for root or other users. */
export function dataPath(given: string | undefined, env: NodeJS.ProcessEnv): string {
  if (given !== undefined) return given;
  if (env.GANETI_TS_DATA) return env.GANETI_TS_DATA;
  if (userInfo().uid === 0) return "/var/lib/ganeti-ts";
  return join(env.XDG_STATE_HOME || join(homedir(), ".local/state"), "ganeti-ts");
}

/**
 * Creates missing parts. The users file is also found under its older name. The database contains
 * secrets of jobs and is readable for its owner alone, whatever the mode of the directory.
 */
export function openDataDirectory(path: string) {
  makeFolder(join(path, "rapi"));
  const database = join(path, "cluster.db");
  closeToOthers(database);
  try {
    symlinkSync("rapi/users", join(path, "rapi_users"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return {
    path,
    /** Certificate and key of the API. */
    certificate: join(path, "rapi.pem"),
    users: join(path, "rapi", "users"),
    socket: join(path, "rapi.sock"),
    /** Jobs and configuration, unless another store is given. */
    database,
    /** State of simulated nodes, unless another store is given. */
    nodes: join(path, "nodes", "nodes.db"),
    /** Messages to running allocator programs. */
    allocatorMessages: join(path, "iallocator"),
    /** Calls to node daemons that may still be carried out. */
    callsInFlight: join(path, "calls-in-flight.jsonl"),
    /** Exists if the nodes of the cluster are real machines. */
    realNodes: join(path, "real-nodes"),
    /** Number of the process that serves the cluster. */
    pid: join(path, "rapi.pid"),
    /** Key of configuration queries (confd). */
    confdKey: join(path, "hmac.key"),
    /** Key of the page's sessions. */
    sessionKey: join(path, "ui.key"),
    /** Record of an adoption: whether the cluster has files in Ganeti's formats, and where. */
    adopted: join(path, "adopted.json"),
    /** Record of the `config.data` that this server has written. */
    ownStamps: join(path, "config-data.json"),
    /** Last commits of a shared database that were acknowledged to this server. */
    databaseMemory: join(path, "database-memory.json"),
  };
}

/** Parts that opening a data directory and its database creates. */
const firstParts = [
  "cluster.db",
  "cluster.db.lock",
  "cluster.db.config.lock",
  "rapi",
  "rapi_users",
];

/** Works in a data directory; if that fails, the parts that did not exist before are removed. */
export async function attemptIn(
  path: string,
  work: (directory: DataDirectory) => Promise<void>,
): Promise<void> {
  const missing = firstMissing(path) ?? firstParts.map((name) => join(path, name));
  const created = [missing].flat().filter((one) => !existsSync(one));
  try {
    await work(openDataDirectory(path));
  } catch (error) {
    for (const one of created) rmSync(one, { recursive: true, force: true });
    throw error;
  }
}

/** The topmost missing folder of a path; undefined if the folder exists. */
function firstMissing(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const above = dirname(path);
  return above === path ? path : (firstMissing(above) ?? path);
}

/**
 * Creates a folder and its parents. Node's `recursive` option loops forever below a folder that refuses new
 * entries, such as /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o750 });
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(path)) throw error;
  }
}

/** Restricts access to the database; SQLite gives the same mode to files that it creates later. */
function closeToOthers(database: string): void {
  writeFileSync(database, "", { flag: "a", mode: 0o600 });
  for (const file of [database, `${database}-wal`, `${database}-shm`]) {
    if (existsSync(file)) chmodSync(file, 0o600);
  }
}
