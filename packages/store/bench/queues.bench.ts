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
// `--only=NAME[,NAME…]` runs the series of these names, `--slots=N[,N…]` (of all servers), `--servers=N` and
// `--submission=batch` (or `single`) a part of them, `--jobs=N` and `--rounds=N` how much, `--warm-up=N` how many
// jobs each server runs before, `--waits` shows what the database's sessions wait for, `--record COMMIT` writes
// baseline.json. The rounds of all series alternate.
//
// `--shares=server:0.25,database:0.6,submitter:0.25` gives each server, the database and the submitter this share of a
// core, at any time, whatever is idle: on a machine with few cores two servers otherwise compete with each other and
// with the rest, and cannot be faster than one. The sum of all shares must stay clearly below the number of cores. It
// takes root and the cpu controller of cgroup v1; the groups are removed at the end. Only series with servers are
// run. `exhausted` in their results is the part of the time in which processes of each role had used up their share.
//
// PostgreSQL with one and two servers, each with a small core of its own:
//
//     pnpm bench --only=PostgreSQL --submission=batch --jobs=20000 --rounds=5 --slots=100,200 \
//       --shares=server:0.25,database:0.6,submitter:0.25
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { systemClock } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { missing, programs, type Server, startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";
import { familyOf, ShareGroups, sharesOf } from "./core-shares.js";
import { databaseCpuMs, databasePid } from "./database-cpu.js";
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
const shares = option("shares") === undefined ? undefined : sharesOf(option("shares") as string);

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
) =>
  onServer(async (server) => {
    const settings = settingsOf(server, slots);
    if (shares === undefined) return work({ ...run, settings });
    const groups = new ShareGroups(shares);
    try {
      groups.limit("database", familyOf(databasePid(server.connection.host)));
      groups.limit("submitter", [process.pid]);
      return await work({ ...run, settings, groups });
    } finally {
      groups.remove();
    }
  });

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
const slotsWanted = option("slots")?.split(",").map(Number);
const serversWanted = option("servers");
const wanted = all.filter(
  ({ name, slots, servers }) =>
    isNamed(name) &&
    (slotsWanted === undefined || slotsWanted.includes(slots)) &&
    (shares === undefined || servers !== undefined) &&
    (serversWanted === undefined || servers === Number(serversWanted)),
);
const submissions = (["batch", "single"] as const).filter(
  (one) => (option("submission") ?? one) === one,
);
if (wanted.some(({ name }) => /graphile|boss/.test(name))) installPeers(peersFolder);

function resultOf(
  { name, slots, servers }: Series,
  submission: Submission,
  times: readonly Measured[],
) {
  const totals = times.map(({ totalMs }) => totalMs).sort((a, b) => a - b);
  const best = times.find(({ totalMs }) => totalMs === totals[0]) as Measured;
  const perJob = (cpuMs: "cpuMs" | "serverCpuMs" | "databaseCpuMs") =>
    best[cpuMs] === undefined
      ? undefined
      : rounded((Math.min(...times.map((one) => one[cpuMs] as number)) / count) * 1000);
  return {
    series: name,
    slots,
    servers,
    submission,
    jobs: count,
    jobsPerSecond: perSecond(best.totalMs),
    medianPerSecond: perSecond(totals[totals.length >> 1] as number),
    worstPerSecond: perSecond(totals.at(-1) as number),
    // In a batch no job starts before all of them have been submitted.
    runPerSecond: submission === "batch" ? perSecond(best.totalMs - best.submitMs) : undefined,
    submitMs: rounded(Math.min(...times.map(({ submitMs }) => submitMs))),
    cpuMicrosPerJob: perJob("cpuMs"),
    serverCpuMicrosPerJob: perJob("serverCpuMs"),
    databaseCpuMicrosPerJob: perJob("databaseCpuMs"),
    waits: best.waits,
    exhausted: best.exhausted,
  };
}

const perSecond = (ms: number) => rounded((count / ms) * 1000);
const runs = wanted.flatMap((series) =>
  submissions.map((submission) => ({ series, submission, times: [] as Measured[] })),
);
const results = [];
for (let round = 1; round <= rounds; round++) {
  for (const { series, submission, times } of runs) {
    times.push(await series.run(submission));
    const result = resultOf(series, submission, times);
    if (round < rounds) console.error(`round ${round}: ${JSON.stringify(result)}`);
    else {
      console.log(JSON.stringify(result));
      results.push(result);
    }
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
  if (!isNamed(name) || [slotsWanted, serversWanted, shares].some((one) => one !== undefined)) {
    continue;
  }
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
