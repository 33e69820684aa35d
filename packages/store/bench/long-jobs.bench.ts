// Cost of a job with many opcodes. Needs a build before it. `--record COMMIT` writes long-jobs-baseline.json.
//
//   pnpm bench:long [--counts=100,200,400,800,1600] [--stores=sqlite,postgres] [--record COMMIT]
//
// | figure | meaning |
// |---|---|
// | msPerOpcode | time from submission to the end, for each opcode; each takes a lock and writes a line into its log |
// | cpuMsPerOpcode | processor time of this process for the same |
//
// The job is followed like a server's: each change is read for the events, and one client waits for its status.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Executor, JobQueue, type JobStore } from "@ganeti-ts/job-queue";
import { createLockManager, type LockStore, lockName } from "@ganeti-ts/locking";
import { type JobId, type Json, systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import { openSqliteStore } from "@ganeti-ts/store/sqlite";
import { startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";

helpIfAsked("bench/long-jobs.bench.ts");

const option = (name: string, usual: string): string[] => {
  const word = process.argv.find((one) => one.startsWith(`--${name}=`));
  return (word?.slice(name.length + 3) ?? usual).split(",");
};
const counts = option("counts", "100,200,400,800,1600").map(Number);
const stores = option("stores", "sqlite,postgres");

const opcode = (at: number) => ({
  OP_ID: "OP_INSTANCE_STARTUP",
  instance_name: `web${at}.example.com`,
  force: false,
  beparams: { memory: 512, vcpus: 2 },
  comment: "rolling restart of the web tier, requested by the maintenance calendar",
});

async function follow(queue: JobQueue, id: JobId): Promise<void> {
  let seen: readonly Json[] | null = null;
  for (;;) {
    const answer = await queue.waitForChange(id, {
      fields: ["status", "opstatus"],
      previousValues: seen,
      previousSerial: 1e9,
      timeoutMs: 60_000,
    });
    if (answer === "nochange") continue;
    seen = answer.values;
    if (seen[0] === "success") return;
    if (seen[0] === "error") throw new Error("the job has failed");
  }
}

async function measure(store: JobStore, lockStore: LockStore | undefined, count: number) {
  const executor: Executor = {
    locks: () => [{ lock: lockName("instance", "web"), mode: "exclusive" }],
    run: async (_, context) => {
      await context.log("started");
      return true;
    },
  };
  const queue = await JobQueue.open({
    store,
    executor,
    clock: systemClock,
    random: systemRandom,
    locks: createLockManager(lockStore === undefined ? {} : { store: lockStore }),
  });
  let reading = false;
  queue.onChange(async (ids) => {
    if (reading) return;
    reading = true;
    await queue.query([...ids], ["id", "status", "summary", "opstatus"]).catch(() => undefined);
    reading = false;
  });
  const cpu = process.cpuUsage();
  const start = performance.now();
  const id = await queue.submit(Array.from({ length: count }, (_, at) => opcode(at)));
  await follow(queue, id);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const [row] = await queue.query([id], ["opresult", "oplog"]);
  const [results = [], logs = []] = row ?? [];
  if (!results.every((one) => one === true) || !logs.every((log) => log.length === 1)) {
    throw new Error("opcodes are missing");
  }
  return {
    stop: () => queue.stop(),
    figure: {
      msPerOpcode: rounded(ms / count),
      cpuMsPerOpcode: rounded((user + system) / 1000 / count),
    },
  };
}

const results: Record<string, Record<string, object>> = { sqlite: {}, postgres: {} };
const print = (store: "sqlite" | "postgres", count: number, figure: object) => {
  console.log(store, count, JSON.stringify(figure));
  (results[store] as Record<string, object>)[count] = figure;
};

for (const count of stores.includes("sqlite") ? counts : []) {
  const folder = mkdtempSync(join(tmpdir(), "long-jobs-"));
  const file = join(folder, "queue.db");
  const { figure, stop } = await measure(openSqliteStore(file), undefined, count);
  print("sqlite", count, figure);
  await stop();
  rmSync(folder, { recursive: true });
}

const server = stores.includes("postgres") ? await startPostgres() : undefined;
try {
  for (const count of server === undefined ? [] : counts) {
    const connection = server?.connection ?? {};
    const store = await openPostgresStore({ connection, schema: `n${count}` });
    const { figure, stop } = await measure(store, store.locks, count);
    print("postgres", count, figure);
    await stop();
  }
} finally {
  await server?.stop();
}
recordIfAsked("bench/long-jobs-baseline.json", { results });
