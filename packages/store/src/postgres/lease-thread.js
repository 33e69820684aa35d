// Renews a worker's lease from a thread of its own, as long as the worker's main loop turns.
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";
import { nextAct } from "./lease-watch.js";

/**
 * `until`: end of the lease; `turned`: when the main loop turned last; both by `process.hrtime.bigint()`.
 * @type {{ config: import("pg").ClientConfig, worker: number, fence: number, leaseMs: number, until:
 * BigInt64Array, turned: BigInt64Array }}
 */
const { config, worker, fence, leaseMs, until, turned } = workerData;

const renewal = `UPDATE worker SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE id = $1 AND fence = $2 AND fenced IS NULL`;
const surrender = `UPDATE worker SET lease_until = '-infinity'
  WHERE id = $1 AND fence = $2 AND fenced IS NULL`;

/** @type {pg.Client | undefined} */
let client;

async function connection() {
  if (client === undefined) {
    const made = new pg.Client(config);
    made.on("error", () => {});
    await made.connect();
    client = made;
  }
  return client;
}

/** One renewal. The lease counts from the time of the request, which is before the grant. */
async function renew() {
  const connected = await connection();
  const asked = process.hrtime.bigint();
  const { rowCount } = await connected.query(renewal, [worker, fence, leaseMs]);
  if (rowCount === 1) Atomics.store(until, 0, asked + BigInt(leaseMs) * 1_000_000n);
  else parentPort?.postMessage("fenced");
}

/** The main loop, should it turn again, must not take the lease for its own when others no longer do. */
async function giveUp() {
  Atomics.store(until, 0, 0n);
  await (await connection()).query(surrender, [worker, fence]);
}

async function watchForEver() {
  for (;;) {
    const nowMs = Number(process.hrtime.bigint() / 1_000_000n);
    const turnedMs = Number(Atomics.load(turned, 0) / 1_000_000n);
    const next = nextAct({ nowMs, turnedMs, leaseMs });
    let { pauseMs } = next;
    try {
      if (next.act === "renew") await renew();
      else await giveUp();
    } catch {
      // The connection: another one may do better, and soon.
      void client?.end().catch(() => {});
      client = undefined;
      pauseMs = Math.min(pauseMs, 500);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

void watchForEver();
