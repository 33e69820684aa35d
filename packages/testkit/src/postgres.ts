/** Temporary PostgreSQL server for tests, on a socket in a temporary folder. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const folders = ["/usr/lib/postgresql/15/bin", "/usr/local/bin", "/usr/bin"];

/** Folder of the server's programs; undefined if it is not installed. */
export const programs = folders.find(
  (folder) => existsSync(join(folder, "postgres")) && existsSync(join(folder, "initdb")),
);

/** Text in titles of skipped tests. */
export const missing = "PostgreSQL 15 is not installed";

/** Options of `test` and `describe` besides title and function. */
interface TestOptions {
  readonly timeout?: number;
  readonly concurrent?: boolean;
}

type Declare = (
  title: string,
  options: TestOptions & { readonly skip: boolean },
  run: () => void | Promise<void>,
) => void;

/**
 * Declares tests that need the server, with `test` or `describe`. They run if PostgreSQL is installed;
 * otherwise they are skipped, with the reason in their title.
 */
export function wherePostgresIsInstalled(
  declare: Declare,
  title: string,
  run: () => void | Promise<void>,
  options: TestOptions = {},
): void {
  const skip = programs === undefined;
  declare(skip ? `${title} (skipped: ${missing})` : title, { ...options, skip }, run);
}

export interface Server {
  /** Settings for the `pg` package; `host` is the folder of the socket. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  /** The settings as `postgres://…`. */
  readonly url: string;
  /** Runs a statement as `psql` does; gives its output. */
  run(statement: string): Promise<string>;
  /** Closes all connections, and deletes the server's data. */
  stop(): Promise<void>;
}

/**
 * Starts an empty server and waits until it accepts connections.
 *
 * `durable`: every commit is on disk, as in production; tests of behaviour need not wait for that.
 *
 * @throws Error if it ends without having accepted one
 */
export async function startPostgres({ durable = false } = {}): Promise<Server> {
  const { folder, end } = await startEmpty(durable);
  return { ...placeOf(folder), stop: () => end("SIGINT") };
}

/** A primary with a streaming standby, and the address of the one that applications are to use. */
export interface ReplicatedServer extends Server {
  /** Settings of the standby itself, for tests that end up there. */
  readonly standby: Server["connection"];
  /** From now on commits do not reach the standby, which has those before. */
  cutStream(): Promise<void>;
  /** Kills the primary, promotes the standby, and leads the address to it. */
  failOver(): Promise<void>;
}

/** Starts a primary and an asynchronous standby behind a relay. */
export async function startReplicatedPostgres(): Promise<ReplicatedServer> {
  const primary = await startEmpty(false);
  const host = primary.folder;
  const [folder, relayFolder] = [serverFolder(), serverFolder()];
  const data = join(folder, "data");
  const source = ["-R", "-h", host, "-U", "postgres", "-c", "fast"];
  await ran("pg_basebackup", folder, ["-D", data, ...source]);
  const standby = await started(folder, ["fsync=off"]);
  const relay = await startRelay(join(relayFolder, socketName), join(host, socketName));
  const { run: onStandby } = placeOf(folder);
  let isPrimaryUp = true;
  const endPrimary = async (signal: NodeJS.Signals) => {
    if (isPrimaryUp) await primary.end(signal);
    isPrimaryUp = false;
  };
  return {
    ...placeOf(relayFolder),
    standby: placeOf(folder).connection,
    async cutStream() {
      // All commits so far are there first.
      const sent = await placeOf(host).run("SELECT pg_current_wal_flush_lsn()");
      const isBehind = `SELECT pg_last_wal_replay_lsn() < '${sent.trim()}'`;
      while ((await onStandby(isBehind)).trim() !== "f") await pause();
      await onStandby("ALTER SYSTEM SET primary_conninfo = ''");
      await onStandby("SELECT pg_reload_conf()");
      const isStreaming = "SELECT count(*) FROM pg_stat_wal_receiver";
      while ((await onStandby(isStreaming)).trim() !== "0") await pause();
    },
    async failOver() {
      // At once, as if its machine had died.
      await endPrimary("SIGQUIT");
      relay.leadTo(undefined);
      await onStandby("SELECT pg_promote()");
      relay.leadTo(join(folder, socketName));
    },
    async stop() {
      await relay.close();
      await endPrimary("SIGINT");
      await standby.end("SIGINT");
      rmSync(relayFolder, { recursive: true, force: true });
    },
  };
}

/** Name of a server's socket in its folder. */
const socketName = ".s.PGSQL.5432";

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

const placeOf = (folder: string): Omit<Server, "stop"> => ({
  run: (statement) => ran("psql", folder, ["-h", folder, "-U", "postgres", "-Atc", statement]),
  connection: { host: folder, user: "postgres", database: "postgres" },
  url: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`,
});

function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const account = serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** Runs a program under the account of the servers, by default one of PostgreSQL; gives its output. */
async function ran(program: string, folder: string, args: readonly string[]): Promise<string> {
  const options = { ...serverAccount(), cwd: folder };
  const { stdout } = await promisify(execFile)(resolve(programs as string, program), args, options);
  return stdout;
}

/** A folder of data as the server's package makes it, small enough to be copied. */
async function initdb(folder: string): Promise<void> {
  const data = join(folder, "data");
  const form = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--wal-segsize=1"];
  await ran("initdb", folder, ["-D", data, ...form, "--no-sync"]);
}

/** Data of an empty server, made once in a run of tests: a copy takes a fifth of the time. */
async function makeTemplate(run: string): Promise<string> {
  const template = join(run, "postgres-template");
  if (!existsSync(template)) {
    const first = serverFolder();
    await initdb(first);
    try {
      renameSync(first, template);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(template)) throw error;
    }
  }
  return join(template, "data");
}

let template: Promise<string> | undefined;

/** Folder with the data of an empty server. */
async function emptyServer(): Promise<string> {
  const folder = serverFolder();
  const { GANETI_TS_RUN: run } = process.env;
  if (run === undefined) await initdb(folder);
  else {
    template ??= makeTemplate(run);
    await ran("/bin/cp", folder, ["-a", await template, folder]);
  }
  return folder;
}

async function startEmpty(durable: boolean) {
  const folder = await emptyServer();
  const settings = durable ? [] : ["fsync=off", "full_page_writes=off"];
  return { folder, ...(await started(folder, settings)) };
}

/** A server on the data of this folder, which `end` removes. @throws Error if it ends without having accepted a connection */
async function started(folder: string, settings: readonly string[]) {
  const data = join(folder, "data");
  const all = [
    ...["listen_addresses=", `unix_socket_directories=${folder}`, "max_connections=200"],
    // As with segments of the usual size.
    "max_wal_size=1GB",
    ...settings,
  ];
  const server = spawn(
    join(programs as string, "postgres"),
    ["-D", data, ...all.flatMap((setting) => ["-c", setting])],
    { ...serverAccount(), cwd: folder, stdio: "ignore" },
  );
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  while (!isReady(data)) {
    if (server.exitCode !== null) throw new Error("the PostgreSQL server does not start");
    await pause();
  }
  return {
    async end(signal: NodeJS.Signals) {
      server.kill(signal);
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A socket that leads to another one, which can be exchanged: its connections break then, as those to a dead server do. */
async function startRelay(path: string, first: string) {
  let target: string | undefined = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy();
    const onward = connect(target);
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const leadTo = (next: string | undefined) => {
    target = next;
    for (const one of open) one.destroy();
  };
  return {
    leadTo,
    async close() {
      leadTo(undefined);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether the server says in its file that it accepts connections. */
function isReady(data: string): boolean {
  const file = join(data, "postmaster.pid");
  return existsSync(file) && /^ready\s*$/m.test(readFileSync(file, "utf8"));
}

/** The server refuses to run as root; its package creates an account for it. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  account ??= { uid: id("-u"), gid: id("-g") };
  return account;
}

let account: { uid: number; gid: number } | undefined;
