// The built program, told to stop before it is ready; and one that only makes a cluster.
import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresConfigStore } from "@ganeti-ts/store/postgres";
import { openSqliteStore, settleSqlite } from "@ganeti-ts/store/sqlite";
import { startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = join(import.meta.dirname, "../../dist/ganeti-rapi.js");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "beginning-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const started = (place: string, ...args: string[]): ChildProcess =>
  spawn(
    process.execPath,
    [program, "--data-dir", place, "-p", "0", "--no-ssl", "--init=demo.example.com", ...args],
    { stdio: ["ignore", "ignore", "pipe"] },
  );

/** End of the program after a stop signal at the first output of `word`. */
function endOf(child: ChildProcess, word?: string): Promise<number | NodeJS.Signals | null> {
  child.stderr?.on("data", (data) => {
    if (word !== undefined && String(data).includes(word) && !child.killed) child.kill("SIGTERM");
  });
  // Waits for the whole output, because the end of a process may be reported before its last output.
  return new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
}

test.concurrent("SIGTERM ends it with code 0, ready or not, and the next one goes on from there", async () => {
  const place = join(folder, "one");
  expect(await endOf(started(place), "cluster created")).toBe(0);
  expect(existsSync(join(place, "rapi.pid"))).toBe(false);
  expect(existsSync(join(place, "rapi.sock"))).toBe(false);
  expect(await endOf(started(place), '"ready"')).toBe(0);
});

test.concurrent("a start with an unreachable database can be stopped", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  const asked = new Promise<void>((resolve) => silent.once("connection", () => resolve()));
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const child = started(join(folder, "three"), `--store=postgres://a@127.0.0.1:${port}/b`);
  await asked;
  child.kill("SIGTERM");
  expect(await endOf(child)).toBe(0);
  silent.close();
});

/** Exit code and last output of a program that refuses to start. */
async function refusalOf(place: string, ...args: string[]): Promise<string> {
  const child = started(place, ...args);
  let said = "";
  child.stderr?.on("data", (data) => {
    said += data;
  });
  return `${await endOf(child)} ${said}`;
}

/** The refusal in one line with the remedy; `place` was written by a newer version. */
const newer = (place: string, content: string) =>
  new RegExp(
    `^12 ganeti-rapi: ${place}:${content && ` ${content}`} version 99 is from a newer version of ganeti-ts; this one knows version \\d: ` +
      "install that version again, or restore a backup that this one has written\n$",
  );

test.concurrent("what a newer version has written is refused in one line with code 12", async () => {
  const place = join(folder, "newer");
  mkdirSync(place);
  const database = join(place, "cluster.db");
  await openSqliteStore(database).close();
  settleSqlite(database);
  // The user version of a SQLite file.
  const file = openSync(database, "r+");
  writeSync(file, Uint8Array.of(0, 0, 0, 99), 0, 4, 60);
  closeSync(file);
  expect(await refusalOf(place)).toMatch(newer(database, "job queue"));
  writeFileSync(join(place, "adopted.json"), '{"version":99}');
  expect(await refusalOf(place)).toMatch(newer(join(place, "adopted.json"), ""));
});

wherePostgresIsInstalled(
  test,
  "a shared database of a newer version is refused in one line with code 12",
  async () => {
    const server = await startPostgres();
    await (await openPostgresConfigStore({ connection: server.connection })).close();
    await server.run("UPDATE ganeti_ts.config_version SET version = 99");
    expect(await refusalOf(join(folder, "newer-shared"), `--store=${server.url}`)).toMatch(
      newer("the database of --store", "configuration"),
    );
    await server.stop();
  },
  { concurrent: true },
);

wherePostgresIsInstalled(
  test,
  "who only makes a cluster in a database ends when it is made",
  async () => {
    const server = await startPostgres();
    const place = join(folder, "four");
    expect(await endOf(started(place, "--init-only", `--store=${server.url}`))).toBe(0);
    expect(await endOf(started(place, `--store=${server.url}`), '"ready"')).toBe(0);
    await server.stop();
  },
  { concurrent: true },
);
