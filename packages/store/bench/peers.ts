// Three queues on one PostgreSQL server, each with worker processes of its own: ours, and two for comparison.
//
// The other two are installed by npm into a folder of their own: with their 60 dependencies they are of use
// here alone, and would be in everybody's installation and lock file if they were this package's.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import type { Server } from "@ganeti-ts/testkit/postgres";
import pg from "pg";
import type { ShareGroups } from "./core-shares.js";
import { databaseCpuMs } from "./database-cpu.js";
import { type Measured, mustBe, type Submission, submitAll, until } from "./jobs.js";
import { mustAllHaveEnded, noop } from "./local.js";
import { ownCpuMs, startWorkers, type Workers } from "./processes.js";
import { sampleWaits } from "./waits.js";

const versions = { "graphile-worker": "0.17.3", "pg-boss": "10.4.2" };

/** Settings of a worker process. */
export interface PeerSettings {
  readonly connection: Server["connection"];
  /** The same as a URL. */
  readonly url: string;
  /** Folder in which the other queues are installed. */
  readonly folder: string;
  /** Jobs that one process runs at the same time. */
  readonly slots: number;
  /** Jobs that pg-boss fetches at a time. */
  readonly batchSize: number;
}

export interface Run {
  readonly submission: Submission;
  readonly count: number;
  /** Jobs that are run before, not measured: a server's code is compiled while it works. */
  readonly warmUp: number;
  readonly workers: number;
  /** Whether the waits of the database's sessions are sampled, which costs a little. */
  readonly waits: boolean;
  /** Limits of the processes; absent if they use all cores. */
  readonly groups?: ShareGroups | undefined;
  readonly settings: PeerSettings;
}

/** Installs the other queues, once. @throws Error if npm fails. */
export function installPeers(folder: string): void {
  if (Object.keys(versions).every((name) => existsSync(join(folder, "node_modules", name)))) return;
  mkdirSync(folder, { recursive: true });
  // Without a package of its own npm would install into a folder above.
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: versions }),
  );
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** A module of one of the other queues. They are CommonJS. */
export const peerModule = <Module>(folder: string, name: string): Module =>
  createRequire(join(folder, "package.json"))(name) as Module;

/** Ours: the submitter is a process without an executor, which leaves when it has submitted. */
export async function runOurs(run: Run): Promise<Measured> {
  const { submission, count, warmUp, workers, groups, settings } = run;
  const connect = async () => {
    const store = await openPostgresStore({ connection: settings.connection });
    const queue = await JobQueue.open({
      store,
      locks: createLockManager({ store: store.locks }),
      clock: systemClock,
      random: systemRandom,
    });
    return { store, queue };
  };
  const submitter = await connect();
  await submitter.queue.change({ runningMax: workers * settings.slots });
  const processes = await startWorkers("./our-worker.mjs", workers, settings, groups);
  const client = await connected(settings);
  try {
    const calls = {
      async batch(some: number) {
        const jobs = Array.from({ length: some }, () => [noop]);
        const answers = await submitter.queue.submitMany(jobs);
        mustBe(answers.filter(([ok]) => ok).length, some, "jobs accepted");
      },
      async single() {
        await submitter.queue.submit([noop]);
      },
    };
    const allHaveEnded = async (some: number) => {
      await until(() => processes.runs() >= some);
      await until(async () => (await number(client, unfinishedOfOurs)) === 0);
    };
    await submitAll(submission, warmUp, calls);
    await allHaveEnded(warmUp);
    const measure = await stopwatch(run, processes);
    const start = performance.now();
    await submitAll(submission, count, calls);
    const submitMs = performance.now() - start;
    await submitter.queue.stop();
    await allHaveEnded(warmUp + count);
    const totalMs = performance.now() - start;
    const spent = await measure();
    mustBe(processes.runs(), warmUp + count, "runs");
    const onlooker = await connect();
    await mustAllHaveEnded(onlooker.queue, onlooker.store, warmUp + count);
    await onlooker.queue.stop();
    return { submitMs, totalMs, ...spent };
  } finally {
    await processes.stop();
    await client.end();
  }
}

const unfinishedOfOurs = "SELECT count(*) FROM ganeti_ts.job WHERE ended IS NULL";

interface Graphile {
  Logger: new (factory: () => () => void) => object;
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJob(task: string, payload: object): Promise<unknown>;
    addJobs(jobs: readonly object[]): Promise<readonly unknown[]>;
    release(): Promise<void>;
  }>;
}

export async function runGraphile(run: Run): Promise<Measured> {
  const { submission, count, warmUp, workers, groups, settings } = run;
  const { Logger, makeWorkerUtils } = peerModule<Graphile>(settings.folder, "graphile-worker");
  const logger = new Logger(() => () => {});
  const pgPool = new pg.Pool({ ...settings.connection, max: 10 });
  // Connections that are being closed when the server stops.
  pgPool.on("error", () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const processes = await startWorkers("./graphile-worker.mjs", workers, settings, groups);
  const client = await connected(settings);
  try {
    const calls = {
      async batch(some: number) {
        const job = { identifier: "noop", payload: {} };
        mustBe((await utils.addJobs(Array(some).fill(job))).length, some, "jobs accepted");
      },
      async single() {
        await utils.addJob("noop", {});
      },
    };
    const allHaveEnded = async (some: number) => {
      await until(() => processes.runs() >= some);
      // A job that has ended is gone.
      const left = "SELECT count(*) FROM graphile_worker.jobs";
      await until(async () => (await number(client, left)) === 0);
    };
    await submitAll(submission, warmUp, calls);
    await allHaveEnded(warmUp);
    const measure = await stopwatch(run, processes);
    const start = performance.now();
    await submitAll(submission, count, calls);
    const submitMs = performance.now() - start;
    await allHaveEnded(warmUp + count);
    const totalMs = performance.now() - start;
    const spent = await measure();
    mustBe(processes.runs(), warmUp + count, "runs");
    return { submitMs, totalMs, ...spent };
  } finally {
    await processes.stop();
    await utils.release();
    await pgPool.end();
    await client.end();
  }
}

interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  send(name: string, data: object): Promise<string | null>;
  insert(jobs: readonly object[]): Promise<void>;
  stop(options: object): Promise<void>;
}

export async function runBoss(run: Run): Promise<Measured> {
  const { submission, count, warmUp, workers, groups, settings } = run;
  const PgBoss = peerModule<new (options: object) => Boss>(settings.folder, "pg-boss");
  const boss = new PgBoss({ ...settings.connection, supervise: false, schedule: false });
  let isOver = false;
  // It may still have connections when it says that it has stopped, which the database then ends.
  boss.on("error", (error) => {
    if (!isOver) throw error;
  });
  await boss.start();
  await boss.createQueue("noop");
  const processes = await startWorkers("./pg-boss.mjs", workers, settings, groups);
  const client = await connected(settings);
  try {
    const calls = {
      batch: (some: number) => boss.insert(Array(some).fill({ name: "noop" })),
      async single() {
        if ((await boss.send("noop", {})) === null) throw new Error("a job was not accepted");
      },
    };
    const allHaveEnded = async (some: number) => {
      await until(() => processes.runs() >= some);
      const completed =
        "SELECT count(*) FROM pgboss.job WHERE name = 'noop' AND state = 'completed'";
      await until(async () => (await number(client, completed)) === some);
    };
    await submitAll(submission, warmUp, calls);
    await allHaveEnded(warmUp);
    const measure = await stopwatch(run, processes);
    const start = performance.now();
    await submitAll(submission, count, calls);
    const submitMs = performance.now() - start;
    await allHaveEnded(warmUp + count);
    const totalMs = performance.now() - start;
    const spent = await measure();
    mustBe(processes.runs(), warmUp + count, "runs");
    return { submitMs, totalMs, ...spent };
  } finally {
    await processes.stop();
    isOver = true;
    await boss.stop({ graceful: false, wait: false });
    await client.end();
  }
}

/** Processor time since now, of all processes, use of their shares, and the waits of the database's sessions if wanted. */
async function stopwatch({ settings: { connection }, waits, groups }: Run, processes: Workers) {
  const spent = () => ({
    ownMs: ownCpuMs(),
    serverCpuMs: processes.cpuMs(),
    databaseCpuMs: databaseCpuMs(connection.host),
  });
  const stopSampling = waits ? await sampleWaits(connection) : undefined;
  const before = spent();
  const stopWatching = groups?.watch();
  return async () => {
    const exhausted = stopWatching?.();
    const after = spent();
    const serverCpuMs = after.serverCpuMs - before.serverCpuMs;
    return {
      cpuMs: after.ownMs - before.ownMs + serverCpuMs,
      serverCpuMs,
      databaseCpuMs: after.databaseCpuMs - before.databaseCpuMs,
      ...(exhausted && { exhausted }),
      ...(stopSampling && { waits: await stopSampling() }),
    };
  };
}

async function connected({ connection }: PeerSettings): Promise<pg.Client> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  return client;
}

async function number(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(query);
  return Number(rows[0]?.count);
}
