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

/** The parts of the measurement that differ between the queues. */
interface Peer {
  /** The built file of its workers. */
  readonly worker: string;
  batch(count: number): Promise<unknown>;
  single(): Promise<unknown>;
  /** Query for the number of jobs that have not ended. */
  readonly unfinished: string;
  /** Called when all jobs have been submitted. */
  submitted?(): Promise<void>;
  /** Called with the number of jobs that should have ended. @throws Error if they have not */
  check?(count: number): Promise<void>;
}

async function measured(run: Run, peer: Peer): Promise<Measured> {
  const { submission, count, warmUp, workers, groups, settings } = run;
  const processes = await startWorkers(peer.worker, workers, settings, groups);
  const client = new pg.Client({ ...settings.connection });
  await client.connect();
  try {
    const allHaveEnded = async (some: number) => {
      await until(() => processes.runs() >= some);
      await until(async () => {
        const { rows } = await client.query<{ count: string }>(peer.unfinished);
        return rows[0]?.count === "0";
      });
    };
    await submitAll(submission, warmUp, peer);
    await allHaveEnded(warmUp);
    const measure = await stopwatch(run, processes);
    const start = performance.now();
    await submitAll(submission, count, peer);
    const submitMs = performance.now() - start;
    await peer.submitted?.();
    await allHaveEnded(warmUp + count);
    const totalMs = performance.now() - start;
    const spent = await measure();
    mustBe(processes.runs(), warmUp + count, "runs");
    await peer.check?.(warmUp + count);
    return { submitMs, totalMs, ...spent };
  } finally {
    await processes.stop();
    await client.end();
  }
}

/** Ours: the submitter is a process without an executor, which leaves when it has submitted. */
export async function runOurs(run: Run): Promise<Measured> {
  const { workers, settings } = run;
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
  const { queue } = await connect();
  await queue.change({ runningMax: workers * settings.slots });
  return measured(run, {
    worker: "./our-worker.mjs",
    unfinished: "SELECT count(*) FROM ganeti_ts.job WHERE ended IS NULL",
    async batch(some) {
      const answers = await queue.submitMany(Array.from({ length: some }, () => [noop]));
      mustBe(answers.filter(([ok]) => ok).length, some, "jobs accepted");
    },
    single: () => queue.submit([noop]),
    submitted: () => queue.stop(),
    async check(count) {
      const onlooker = await connect();
      await mustAllHaveEnded(onlooker.queue, onlooker.store, count);
      await onlooker.queue.stop();
    },
  });
}

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
  const { settings } = run;
  const { Logger, makeWorkerUtils } = peerModule<Graphile>(settings.folder, "graphile-worker");
  const logger = new Logger(() => () => {});
  const pgPool = new pg.Pool({ ...settings.connection, max: 10 });
  // Connections that are being closed when the server stops.
  pgPool.on("error", () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  try {
    return await measured(run, {
      worker: "./graphile-worker.mjs",
      // A job that has ended is gone.
      unfinished: "SELECT count(*) FROM graphile_worker.jobs",
      async batch(some) {
        const job = { identifier: "noop", payload: {} };
        mustBe((await utils.addJobs(Array(some).fill(job))).length, some, "jobs accepted");
      },
      single: () => utils.addJob("noop", {}),
    });
  } finally {
    await utils.release();
    await pgPool.end();
  }
}

/** pg-boss, as far as this package uses it. */
export interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  send(name: string, data: object): Promise<string | null>;
  insert(jobs: readonly object[]): Promise<void>;
  work(
    queue: string,
    options: object,
    handler: (jobs: readonly unknown[]) => Promise<void>,
  ): Promise<string>;
  stop(options: object): Promise<void>;
}

/** A client or worker of pg-boss, not started yet. */
export function newBoss({ folder, connection }: PeerSettings): Boss {
  const PgBoss = peerModule<new (options: object) => Boss>(folder, "pg-boss");
  return new PgBoss({ ...connection, supervise: false, schedule: false });
}

export async function runBoss(run: Run): Promise<Measured> {
  const boss = newBoss(run.settings);
  let isOver = false;
  // It may still have connections when it says that it has stopped, which the database then ends.
  boss.on("error", (error) => {
    if (!isOver) throw error;
  });
  await boss.start();
  await boss.createQueue("noop");
  try {
    return await measured(run, {
      worker: "./pg-boss.mjs",
      unfinished: "SELECT count(*) FROM pgboss.job WHERE name = 'noop' AND state <> 'completed'",
      batch: (some) => boss.insert(Array(some).fill({ name: "noop" })),
      async single() {
        if ((await boss.send("noop", {})) === null) throw new Error("a job was not accepted");
      },
    });
  } finally {
    isOver = true;
    await boss.stop({ graceful: false, wait: false });
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
