// Real processes, killed at random under load; then the books are compared: what was acknowledged, what was
// begun, what the store holds.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobQueue, type JobRow, type JobStore } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import type { Server } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import { openPostgresStore } from "../../src/postgres.js";
import { openSqliteStore } from "../../src/sqlite.js";

export interface Report {
  readonly kills: number;
  readonly acknowledged: number;
  readonly begun: number;
  /** Jobs that had an opcode under way when their worker was killed. */
  readonly died: number;
  /** PostgreSQL: how long after a worker's death its jobs were marked, of the last one, in ms. */
  readonly takeoverMs: number | undefined;
  /** Everything that is wrong; nothing should be. */
  readonly faults: readonly string[];
}

/** `worker` is worker.ts, built. One process at a time has the file; the next one recovers it. */
export async function crashSqlite(worker: string, kills: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "crashes-"));
  const place = join(folder, "queue.db");
  const notes = join(folder, "notes");
  writeFileSync(notes, "");
  try {
    const begin = async (count: number) => {
      const child = start(worker, "sqlite", place, notes);
      if (!(await hasBegun(child, notes, count))) throw new Error("a worker ended by itself");
      return child;
    };
    for (let kill = 0; kill < kills; kill++) {
      const child = await begin(kill + 1);
      await someWork(child, notes);
      await killed(child);
    }
    await stopped(await begin(kills + 1));
    return await compare(openSqliteStore(place), [notes], kills, undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Three workers share a database; one after the other is killed and replaced. */
export async function crashPostgres(
  worker: string,
  kills: number,
  server: Server,
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "crashes-"));
  const place = server.connection.host;
  const files: string[] = [];
  const noteOf = new Map<ChildProcess, string>();
  const begin = async () => {
    for (;;) {
      const notes = join(folder, `notes${files.length}`);
      files.push(notes);
      writeFileSync(notes, "");
      const child = start(worker, "postgres", place, notes);
      noteOf.set(child, notes);
      // On a busy machine one may lose its lease before it has begun.
      if (await hasBegun(child, notes, 1)) return child;
    }
  };
  try {
    const children = [await begin(), await begin(), await begin()];
    let last = 0;
    let lastKilled = 0;
    for (let kill = 0; kill < kills; kill++) {
      const at = Math.floor(Math.random() * children.length);
      const victim = children[at] as ChildProcess;
      const notes = noteOf.get(victim) as string;
      await someWork(victim, notes);
      await killed(victim);
      last = performance.now();
      lastKilled = workerIn(notes);
      children[at] = await begin();
    }
    const over = await untilNoJobIsOf(server, lastKilled);
    for (const child of children) await stopped(child);
    const store = await openPostgresStore({ connection: server.connection });
    return await compare(store, files, kills, over - last);
  } finally {
    for (const child of noteOf.keys()) await killed(child);
    rmSync(folder, { recursive: true });
  }
}

/** When those who live have taken its jobs from the worker that was killed last. */
async function untilNoJobIsOf(server: Server, worker: number): Promise<number> {
  const client = new pg.Client(server.connection);
  await client.connect();
  const text = "SELECT count(*) AS n FROM ganeti_ts.job WHERE claimed_by = $1";
  while (Number((await client.query<{ n: string }>(text, [worker])).rows[0]?.n) > 0)
    await pause(20);
  await client.end();
  return performance.now();
}

async function compare(
  store: JobStore,
  files: readonly string[],
  kills: number,
  takeoverMs: number | undefined,
): Promise<Report> {
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run: (opcode) => ({ of: opcode.OP_ID }) },
  });
  await untilAllHaveEnded(store);
  const rows = await store.read(await store.list({ archived: false }));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const report = judge(lines, rows);
  await queue.stop();
  return { ...report, kills, takeoverMs };
}

/** Longest time (ms) without the end of any job: then the rest is judged as it is. */
const standstillMs = 120_000;

/** However many jobs are left: only a standstill ends the wait. */
async function untilAllHaveEnded(store: JobStore): Promise<void> {
  let endedBefore = -1;
  let progressed = performance.now();
  while (performance.now() - progressed < standstillMs) {
    const ended = (await store.list({ archived: false, endedBefore: Infinity })).length;
    if (ended === (await store.list({ archived: false })).length) return;
    if (ended > endedBefore) progressed = performance.now();
    endedBefore = ended;
    await pause(50);
  }
}

function judge(
  lines: readonly string[],
  rows: readonly JobRow[],
): Omit<Report, "kills" | "takeoverMs"> {
  const faults: string[] = [];
  const named = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const byId = new Map(rows.map((row) => [String(row.id), row]));
  const acknowledged = named("acknowledged");
  for (const id of acknowledged) {
    const row = byId.get(id);
    if (row === undefined) faults.push(`job ${id} was acknowledged and is lost`);
    else if (row.job?.ended === null) faults.push(`job ${id} has not ended: ${row.status}`);
  }
  if (new Set(acknowledged).size < acknowledged.length) faults.push("an id was given twice");
  const begun = named("begun");
  const once = new Set<string>();
  for (const key of begun) {
    if (once.has(key)) faults.push(`opcode ${key} was run twice`);
    once.add(key);
  }
  const done = new Set(named("done"));
  let died = 0;
  for (const { job, status } of rows) {
    if (status === "error") died++;
    const failed = job?.opcodes.find((opcode) => opcode.status === "error");
    if (failed?.executed === null) {
      const why = JSON.stringify(failed.result);
      faults.push(`job ${job?.id} died before it had begun: ${why}`);
    }
    job?.opcodes.forEach((opcode, index) => {
      const key = `${job.id}.${index}`;
      const ran = done.has(key) || !once.has(key);
      if (opcode.status === "success" && !ran)
        faults.push(`opcode ${key} is a success that never ended`);
    });
  }
  return { acknowledged: acknowledged.length, begun: begun.length, died, faults };
}

/** Which worker of the store a process was. */
const workerIn = (notes: string): number =>
  Number(/^worker (\d+)$/m.exec(readFileSync(notes, "utf8"))?.[1]);

const start = (worker: string, kind: string, place: string, notes: string): ChildProcess =>
  spawn(process.execPath, [worker, kind, place, notes], { stdio: ["pipe", "inherit", "inherit"] });

/** It may have gone by itself: on a busy machine a worker can lose its lease. */
const isGone = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function killed(child: ChildProcess): Promise<void> {
  if (isGone(child)) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (isGone(child)) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.stdin?.write("stop\n");
  await exit;
}

/** Waits until the processes of these notes have begun that often; false if `child` has ended before. */
async function hasBegun(child: ChildProcess, notes: string, count: number): Promise<boolean> {
  for (;;) {
    const lines = readFileSync(notes, "utf8").split("\n");
    if (lines.filter((line) => line === "ready").length >= count) return true;
    if (isGone(child)) return false;
    await pause(5);
  }
}

/** Bytes of notes during which a process is killed: up to 40 lines, of some eight jobs. */
const notedMax = 500;

/** Waits until the process has noted a random amount of work, or has ended. */
async function someWork(child: ChildProcess, notes: string): Promise<void> {
  const enough = statSync(notes).size + Math.random() * notedMax;
  while (statSync(notes).size < enough && !isGone(child)) await pause(2);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
