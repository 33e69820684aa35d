/** Temporary PostgreSQL server for tests, on a socket in a temporary folder. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  /** Closes all connections, and deletes the server's data. */
  stop(): Promise<void>;
}

/**
 * Starts an empty server and waits until it accepts connections.
 *
 * `durable`: every commit is on disk, as in production; tests of behaviour need not wait for that.
 *
 * @throws Error if it accepts none within 20 s
 */
export async function startPostgres({ durable = false } = {}): Promise<Server> {
  const bin = programs as string;
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const account = serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, "data");
  const options = { ...account, cwd: folder, stdio: "ignore" as const };
  // Asynchronous, so that other tests go on meanwhile.
  await promisify(execFile)(
    join(bin, "initdb"),
    ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"],
    options,
  );
  const settings = [
    ...["listen_addresses=", `unix_socket_directories=${folder}`, "max_connections=200"],
    ...(durable ? [] : ["fsync=off", "full_page_writes=off"]),
  ];
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
    options,
  );
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const end = performance.now() + 20_000;
  while (!(await isReady(bin, folder))) {
    if (performance.now() > end) throw new Error("the PostgreSQL server does not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    connection: { host: folder, user: "postgres", database: "postgres" },
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    async stop() {
      server.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isReady = (bin: string, folder: string): Promise<boolean> =>
  promisify(execFile)(join(bin, "pg_isready"), ["-q", "-h", folder]).then(
    () => true,
    () => false,
  );

/** The server refuses to run as root; its package creates an account for it. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
