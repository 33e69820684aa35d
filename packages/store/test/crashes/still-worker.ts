// A worker whose main loop stands still in the middle of an operation, until a file appears.
// Arguments: folder of the database's socket, length of the lease in ms, note file, file to wait for.
import { appendFileSync, existsSync } from "node:fs";
import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openPostgresStore } from "../../src/postgres.js";

const [, , host, lease, notes, end] = process.argv as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const note = (line: string) => appendFileSync(notes, `${line}\n`);
const connection = { host, user: "postgres", database: "postgres" };
const store = await openPostgresStore({ connection, leaseMs: Number(lease) });

// The thread must be at work before the main loop stands still: else the lease would end for want of a thread.
for (let before = store.leaseLeftMs(); store.leaseLeftMs() <= before; ) {
  before = store.leaseLeftMs();
  await new Promise((resolve) => setTimeout(resolve, 5));
}

const pause = new Int32Array(new SharedArrayBuffer(4));
const queue = await JobQueue.open({
  store,
  clock: systemClock,
  random: systemRandom,
  locks: createLockManager({ store: store.locks }),
  executor: {
    run: async () => {
      note("still");
      while (!existsSync(end)) Atomics.wait(pause, 0, 0, 10);
      note("turns");
      return null;
    },
  },
  onLost: () => {
    note("lost");
    process.exit();
  },
});
await queue.submit([{ OP_ID: "OP_A" }]);
