// The built program makes backups of a running server, and both are killed: each existing file is complete.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteDamage } from "@ganeti-ts/store/sqlite";
import { isThorough } from "@ganeti-ts/testkit";
import { afterAll, expect, test } from "vitest";
import { ServerProcess } from "./server-process.js";

const program = join(import.meta.dirname, "../../dist/ganeti-rapi.js");
const folder = mkdtempSync(join(tmpdir(), "backup-life-"));
const data = join(folder, "data");
const server = new ServerProcess(data, ["--init=demo.example.com"]);
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});

const rounds = isThorough ? 8 : 4;
/** Interval (ms) between the times at which the program is killed. */
const stepMs = 480 / rounds;

/** Runs the program, and kills it after `ms` if it has not ended. Returns its exit code, or null. */
const ran = (killAfterMs: number | undefined, ...args: string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program, "--data-dir", data, ...args], {
      stdio: "ignore",
    });
    const timer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });

async function tag(name: string): Promise<void> {
  expect((await server.ask("PUT", `/2/tags?tag=${name}`)).status).toBe(200);
}

async function tags(): Promise<readonly unknown[]> {
  const { body } = await server.ask("GET", "/2/info");
  return (body as { tags: string[] }).tags;
}

test("backups and restorations that are killed leave whole files, and nothing of a backup is lost", async () => {
  const file = join(folder, "cluster.backup");
  await server.start();
  const seen = { whole: 0, killed: 0 };
  for (let round = 0; round < rounds; round++) {
    await tag(`round${round}`);
    if (round === rounds / 2) {
      await server.end("SIGKILL");
      await server.start();
    }
    // From before the program has begun until after it has ended.
    const code = await ran(round * stepMs, `--backup=${file}`);
    seen[code === 0 ? "whole" : "killed"] += 1;
    if (existsSync(file)) expect(sqliteDamage(file)).toBeUndefined();
  }
  expect(seen.killed).toBeGreaterThan(0);
  await expect.poll(tags, { timeout: 300_000 }).toContain(`round${rounds - 1}`);
  expect(await ran(undefined, `--backup=${file}`)).toBe(0);
  await tag("later");
  await expect.poll(tags, { timeout: 300_000 }).toContain("later");
  expect(await ran(undefined, `--restore=${file}`)).toBe(1);
  await server.end("SIGKILL");
  for (let round = 1; round < rounds; round++) await ran(round * stepMs, `--restore=${file}`);
  expect(await ran(undefined, `--restore=${file}`)).toBe(0);
  await server.start();
  expect(await tags()).toContain(`round${rounds - 1}`);
  expect(await tags()).not.toContain("later");
  expect(readdirSync(data).filter((name) => /\.before-[^.]*Z$/.test(name)).length).toBeGreaterThan(
    0,
  );
});
