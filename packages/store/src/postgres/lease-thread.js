// Renews a worker's lease from a thread of its own: a main loop that is busy does not lose it.
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";

/** @type {{ config: import("pg").ClientConfig, worker: number, fence: number, leaseMs: number, until: BigInt64Array }} */
const { config, worker, fence, leaseMs, until } = workerData;

const renewal = `UPDATE worker SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE id = $1 AND fence = $2 AND fenced IS NULL`;

/** @type {pg.Client | undefined} */
let client;

/** One renewal. The lease lasts from when it was asked for, which is before it was granted. */
async function renew() {
  if (client === undefined) {
    const made = new pg.Client(config);
    made.on("error", () => {});
    await made.connect();
    client = made;
  }
  const asked = process.hrtime.bigint();
  const { rowCount } = await client.query(renewal, [worker, fence, leaseMs]);
  if (rowCount === 1) Atomics.store(until, 0, asked + BigInt(leaseMs) * 1_000_000n);
  else parentPort?.postMessage("fenced");
}

async function renewForEver() {
  for (;;) {
    let pauseMs = leaseMs / 3;
    try {
      await renew();
    } catch {
      // The connection: another one may do better, and soon.
      void client?.end().catch(() => {});
      client = undefined;
      pauseMs = Math.min(pauseMs, 500);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

void renewForEver();
