// Benchmark of jobs per second that do nothing, from the first call to the last durable end.
//
// | series | what it is |
// |---|---|
// | memory, SQLite | one process with four slots; SQLite acknowledges what is on disk |
// | PostgreSQL in one process | one process that submits and runs; fsync and synchronous_commit are on |
// | PostgreSQL | one or two servers (worker processes) and a submitter |
// | graphile-worker, pg-boss | the same with theirs, on the same server |
//
// Then, of an idle queue of one process on each store: from submit to the beginning of a job; and what 10 000 queued
// jobs take on the heap.
//
// `--only=NAME[,NAME…]` runs the series of these names, `--slots=N` (of all servers), `--servers=N` and
// `--submission=batch` (or `single`) a part of them, `--jobs=N` and `--rounds=N` how much, `--warm-up=N` how many
// jobs each server runs before, `--waits` shows what the database's sessions wait for, `--record COMMIT` writes
// baseline.json.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { systemClock } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { missing, programs, type Server, startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { databaseCpuMs } from "./database-cpu.js";
import { measureIdle } from "./idle.js";
import type { Measured, Submission } from "./jobs.js";
import { runLocal } from "./local.js";
import { installPeers, type Run, runBoss, runGraphile, runOurs } from "./peers.js";

helpIfAsked("bench/queues.bench.ts");

const words = process.argv.slice(2);
const option = (name: string) =>
  words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option("only")?.split(",");
const isNamed = (name: string) => only?.includes(name) ?? true;
const count = Number(option("jobs") ?? 10_000);
/** Jobs of each server before the measured ones: until then much of its processor time goes to the compiler. */
const warmUp = Number(option("warm-up") ?? 5_000);
const rounds = Number(option("rounds") ?? 3);

interface Series {
  readonly name: string;
  readonly slots: number;
  /** Worker processes on a database server. */
  readonly servers?: number;
  run(submission: Submission): Promise<Measured>;
}

async function inFolder<Result>(work: (file: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "queue-"));
  try {
    return await work(join(folder, "queue.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** On a server of its own, so that no series is affected by an earlier one. */
async function onServer<Result>(work: (server: Server) => Promise<Result>): Promise<Result> {
  const server = await startPostgres({ durable: true });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

const onPostgres = (
  work: (run: Run) => Promise<Measured>,
  run: Omit<Run, "settings">,
  slots: number,
) => onServer((server) => work({ ...run, settings: settingsOf(server, slots) }));

const idleOnPostgres = async ({ connection }: Server) =>
  measureIdle(await openPostgresStore({ connection }));

const peersFolder = fileURLToPath(new URL("./peers", import.meta.url));

const settingsOf = ({ connection }: Server, slots: number) => ({
  connection,
  slots,
  folder: peersFolder,
  url: `postgres://${connection.user}@/${connection.database}?host=${connection.host}`,
  // With fewer it would wait most of the time: it looks for jobs twice a second.
  batchSize: Math.max(slots, 1000),
});

const local = [4].flatMap((slots): Series[] => [
  {
    name: "memory",
    slots,
    run: (submission) =>
      runLocal(new MemoryDatabase(systemClock).connect(), submission, count, slots),
  },
  {
    name: "SQLite",
    slots,
    run: (submission) =>
      inFolder((file) => runLocal(openSqliteStore(file), submission, count, slots)),
  },
]);
const alone = [20, 100].map(
  (slots): Series => ({
    name: "PostgreSQL in one process",
    slots,
    run: (submission) =>
      onServer(async ({ connection }) => {
        const store = await openPostgresStore({ connection });
        const before = databaseCpuMs(connection.host);
        const measured = await runLocal(store, submission, count, slots);
        return { ...measured, databaseCpuMs: databaseCpuMs(connection.host) - before };
      }),
  }),
);
const remote = [20, 100].flatMap((slots) =>
  [1, 2].flatMap((servers): Series[] =>
    [
      { name: "PostgreSQL", work: runOurs },
      { name: "graphile-worker", work: runGraphile },
      { name: "pg-boss", work: runBoss },
    ].map(({ name, work }) => ({
      name,
      slots: servers * slots,
      servers,
      run: (submission) =>
        onPostgres(
          work,
          {
            ...{ submission, count, workers: servers, waits: words.includes("--waits") },
            warmUp: warmUp * servers,
          },
          slots,
        ),
    })),
  ),
);
if (programs === undefined) console.log(`not run on PostgreSQL: ${missing}`);
const all = programs === undefined ? local : [...local, ...alone, ...remote];
const slotsWanted = option("slots");
const serversWanted = option("servers");
const wanted = all.filter(
  ({ name, slots, servers }) =>
    isNamed(name) &&
    (slotsWanted === undefined || slots === Number(slotsWanted)) &&
    (serversWanted === undefined || servers === Number(serversWanted)),
);
const submissions = (["batch", "single"] as const).filter(
  (one) => (option("submission") ?? one) === one,
);
if (wanted.some(({ name }) => /graphile|boss/.test(name))) installPeers(peersFolder);

const rounded = (value: number) => Number(value.toPrecision(3));
const perSecond = (ms: number) => rounded((count / ms) * 1000);
const perJob = (cpuMs: readonly number[]) => rounded((Math.min(...cpuMs) / count) * 1000);
const results = [];
for (const { name, slots, servers, run } of wanted) {
  for (const submission of submissions) {
    const times: Measured[] = [];
    for (let round = 0; round < rounds; round++) times.push(await run(submission));
    const best = times.reduce((a, b) => (a.totalMs <= b.totalMs ? a : b));
    const result = {
      series: name,
      slots,
      ...(servers === undefined ? {} : { servers }),
      submission,
      jobs: count,
      jobsPerSecond: perSecond(best.totalMs),
      worstPerSecond: perSecond(Math.max(...times.map(({ totalMs }) => totalMs))),
      submitMs: rounded(Math.min(...times.map(({ submitMs }) => submitMs))),
      cpuMicrosPerJob: perJob(times.map(({ cpuMs }) => cpuMs)),
      ...(best.databaseCpuMs === undefined
        ? {}
        : { databaseCpuMicrosPerJob: perJob(times.map((one) => one.databaseCpuMs as number)) }),
      ...(best.waits && { waits: best.waits }),
    };
    console.log(JSON.stringify(result));
    results.push(result);
  }
}
const idle = [];
for (const { name, measure } of [
  { name: "memory", measure: () => measureIdle(new MemoryDatabase(systemClock).connect()) },
  { name: "SQLite", measure: () => inFolder((file) => measureIdle(openSqliteStore(file))) },
  ...(programs === undefined
    ? []
    : [{ name: "PostgreSQL", measure: () => onServer(idleOnPostgres) }]),
]) {
  if (!isNamed(name) || slotsWanted !== undefined || serversWanted !== undefined) continue;
  const { medianMs, percentile99Ms, heapMib } = await measure();
  const result = {
    series: `${name}, idle`,
    medianMs: rounded(medianMs),
    percentile99Ms: rounded(percentile99Ms),
    ...(heapMib === undefined ? {} : { heapMibPer10000: rounded(heapMib) }),
  };
  console.log(JSON.stringify(result));
  idle.push(result);
}
recordIfAsked("bench/baseline.json", { results, idle });
