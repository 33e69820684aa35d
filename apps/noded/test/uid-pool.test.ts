import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  execWithUnusedUid,
  poolOf,
  releaseUid,
  requestUnusedUid,
} from "../src/hypervisor/uid-pool.js";
import { nodePaths } from "../src/machine/paths.js";
import type { Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { aFolder, finished } from "./a-context.js";

let root: string;
beforeEach(() => {
  root = aFolder();
});

/** Ids under which no process runs; those in `used` are reported as in use. */
const [a, b, c] = [3_000_000_001, 3_000_000_002, 3_000_000_003];
const folder = () => join(nodePaths(root).run, "uid-pool");

function ports({ used = [] as number[], fraction = 0, pgrepCode = 1 } = {}) {
  const system = systemRunner(() => {});
  const asked: number[] = [];
  const run: Runner = {
    ...system,
    async run(command) {
      if (command.program !== "pgrep") return system.run(command);
      const uid = Number(command.args[1]);
      asked.push(uid);
      return finished(command, { code: used.includes(uid) ? 0 : pgrepCode });
    },
  };
  return { run, asked, paths: nodePaths(root), random: { fraction: () => fraction } };
}

test("each request gets another id, and the last one fails", async () => {
  const all = new Set([a, b]);
  const one = await requestUnusedUid(ports(), all);
  const two = await requestUnusedUid(ports(), all);
  expect(new Set([one.uid, two.uid])).toEqual(all);
  await expect(requestUnusedUid(ports(), all)).rejects.toThrow("Failed to find an unused user-id");
  await releaseUid(ports(), one);
  expect(readdirSync(folder())).toEqual([String(two.uid)]);
  const three = await requestUnusedUid(ports(), all);
  expect(three.uid).toBe(one.uid);
  two.unlock();
  three.unlock();
});

test("an id that another program has locked is not taken", async () => {
  mkdirSync(folder(), { recursive: true });
  const file = join(folder(), String(a));
  const script = `exec 3>>${file}; flock -n 3; echo locked; read line`;
  const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await expect(requestUnusedUid(ports(), new Set([a]))).rejects.toThrow("Failed to find");
  const over = new Promise((resolve) => child.once("close", resolve));
  child.stdin.end("\n");
  await over;
  const held = await requestUnusedUid(ports(), new Set([a]));
  expect(() => execFileSync("flock", ["-n", file, "true"], { stdio: "ignore" })).toThrow();
  held.unlock();
  execFileSync("flock", ["-n", file, "true"]);
});

test("ids without a file come first; one under which a process runs is never taken", async () => {
  mkdirSync(folder(), { recursive: true });
  for (const name of [String(a), "notes"]) writeFileSync(join(folder(), name), "");
  const all = new Set([a, b, c]);
  for (const fraction of [0, 0.999]) {
    const given = ports({ used: [b], fraction });
    const held = await requestUnusedUid(given, all);
    expect(held.uid).toBe(c);
    expect(given.asked).not.toContain(a);
    await releaseUid(given, held);
  }
  const held = await requestUnusedUid(ports({ used: [b, c] }), all);
  expect(held.uid).toBe(a);
  held.unlock();
});

test("a failed action releases its id, and a successful one keeps it without a lock", async () => {
  const all = new Set([a]);
  await expect(
    execWithUnusedUid(ports(), all, () => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");
  expect(readdirSync(folder())).toEqual([]);
  expect(await execWithUnusedUid(ports(), all, async (uid) => uid)).toBe(a);
  expect(readdirSync(folder())).toEqual([String(a)]);
  // No process runs under the id, and its file alone does not reserve it.
  (await requestUnusedUid(ports(), all)).unlock();
});

test("an id that another instance has taken meanwhile is not released", async () => {
  const all = new Set([a]);
  const first = await requestUnusedUid(ports(), all);
  await releaseUid(ports(), first);
  const second = await requestUnusedUid(ports(), all);
  // The cleanup of the first instance releases the id by its number.
  await releaseUid(ports(), a);
  expect(readdirSync(folder())).toEqual([String(a)]);
  await expect(requestUnusedUid(ports(), all)).rejects.toThrow("Failed to find an unused user-id");
  second.unlock();
  await releaseUid(ports(), a, async () => true);
  expect(readdirSync(folder())).toEqual([String(a)]);
  await releaseUid(ports(), a);
  expect(readdirSync(folder())).toEqual([]);
});

test("a lock on a file that was removed before it was acquired does not count", async () => {
  const { run, ...given } = ports();
  const removing: Runner = {
    ...run,
    async run(command) {
      if (command.program === "flock") rmSync(join(folder(), String(a)), { force: true });
      return run.run(command);
    },
  };
  const request = requestUnusedUid({ ...given, run: removing }, new Set([a]));
  await expect(request).rejects.toThrow("Failed to find an unused user-id");
});

test("a failure of pgrep is named and unlocks the id", async () => {
  await expect(requestUnusedUid(ports({ pgrepCode: 3 }), new Set([a]))).rejects.toThrow(
    "Running pgrep failed. exit code: 3",
  );
  (await requestUnusedUid(ports(), new Set([a]))).unlock();
});

test("the lines of the pool are ids and ranges", () => {
  expect(poolOf(["5", "7-9", " 8-10"])).toEqual(new Set([5, 7, 8, 9, 10]));
  expect(() => poolOf(["1-2-3"])).toThrow("Invalid user-id range definition: 1-2-3");
});
