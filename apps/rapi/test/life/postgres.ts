/** A PostgreSQL server of our own, on a socket in a temporary folder; gone with the tests. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = ["/usr/lib/postgresql/15/bin", "/usr/local/bin", "/usr/bin"];

/** Where its programs are; undefined if it is not installed. */
export const programs = folders.find(
  (folder) => existsSync(join(folder, "postgres")) && existsSync(join(folder, "initdb")),
);

export const missing = "PostgreSQL 15 is not installed: servers that share one are not tested";

export interface Database {
  /** `postgres://…` */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Database> {
  const bin = programs as string;
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const account = serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, "data");
  const options = { ...account, cwd: folder, stdio: "ignore" as const };
  const init = [
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "postgres",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
  ];
  execFileSync(join(bin, "initdb"), init, options);
  const settings = [
    ...["listen_addresses=", `unix_socket_directories=${folder}`, "max_connections=200"],
    ...["fsync=off", "full_page_writes=off"],
  ];
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
    options,
  );
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const isReady = () => {
    try {
      execFileSync(join(bin, "pg_isready"), ["-q", "-h", folder], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  for (const end = Date.now() + 20_000; !isReady(); ) {
    if (Date.now() > end) throw new Error("the PostgreSQL server does not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    async stop() {
      server.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root; its package makes an account for it. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
