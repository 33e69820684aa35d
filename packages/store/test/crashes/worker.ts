// A process to be killed: it submits jobs and runs them, and records on disk the answers it got and the work it did.
// Arguments: store ("sqlite" or "postgres"), where it is (a file, or the folder of a socket), the note file.
import { appendFileSync } from "node:fs";
import { JobQueue, type JobStore, QueueError } from "@ganeti-ts/job-queue";
import { createLockManager, type LockName, type LockStore } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";

const [, , kind, place, notes] = process.argv as [string, string, string, string, string];
const leaseMs = 4000;
const note = (line: string) => appendFileSync(notes, `${line}\n`);

async function open(): Promise<{ store: JobStore; locks?: LockStore }> {
  if (kind === "sqlite") {
    const { openSqliteStore } = await import("../../src/sqlite.js");
    return { store: openSqliteStore(place) };
  }
  const { openPostgresStore } = await import("../../src/postgres.js");
  const connection = { host: place, user: "postgres", database: "postgres" };
  const store = await openPostgresStore({ connection, leaseMs });
  return { store, locks: store.locks };
}

const { store, locks } = await open();
const names: LockName[] = ["node/1", "node/2", "node/3", "node/4"] as LockName[];
const opened = JobQueue.open({
  store,
  clock: systemClock,
  random: systemRandom,
  capacity: 10,
  locks: createLockManager(locks === undefined ? {} : { store: locks }),
  executor: {
    locks: (_, id) =>
      id % 3 === 0 ? [{ lock: names[id % 4] as LockName, mode: "exclusive" }] : [],
    run: async (opcode, { jobId, opcodeIndex, log }) => {
      note(`begun ${jobId}.${opcodeIndex}`);
      if (jobId % 5 === 0) await log("working");
      if (jobId % 2 === 0) await new Promise((resolve) => setTimeout(resolve, jobId % 7));
      note(`done ${jobId}.${opcodeIndex}`);
      return { of: opcode.OP_ID };
    },
  },
});
const queue = await opened.catch((error: unknown) => {
  if (error instanceof QueueError && error.code === "stopped") return process.exit(); // Its lease is over.
  throw error;
});
note(`worker ${store.claim.worker}`);
note("ready");
// The parent's end of this pipe closes with the parent.
process.stdin.on("end", () => process.exit()).resume();
process.stdin.once("data", async () => {
  isToStop = true;
});

/** Unfinished jobs of all processes with which one submits no more: what is left in the end stays bounded. */
const unfinishedMax = 100;

async function isBacklogged(): Promise<boolean> {
  const { counts } = await queue.live();
  const unfinished = ["queued", "waiting", "running", "canceling"] as const;
  return unfinished.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0) > unfinishedMax;
}

let isToStop = false;
while (!isToStop) {
  if (await isBacklogged().catch(() => process.exit())) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    continue;
  }
  const jobs = Array.from({ length: 5 }, () => [{ OP_ID: "OP_A" }, { OP_ID: "OP_B" }]);
  const answers = await queue.submitMany(jobs).catch((error: unknown) => {
    if (queue.isOpen) throw error;
    return process.exit(); // It has lost its lease.
  });
  for (const [ok, id] of answers) if (ok) note(`acknowledged ${id}`);
  // A kill comes in the midst of noted work: while leases end, more of it would only take processor time.
  await new Promise((resolve) => setTimeout(resolve, 160));
}
await queue.stop();
process.exit();
