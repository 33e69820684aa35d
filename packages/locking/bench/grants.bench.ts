// Benchmark of lock grants and releases per second. `--record COMMIT` writes baseline.json.
//
// | series | one pair is |
// |---|---|
// | manager, free | a timed request for three uncontended locks, and freeing them |
// | manager, contended | the same among 20 jobs that all want one of five locks, with the big lock shared |
// | manager, long queue | an exclusive lock handed on in a queue of 1 000 |
// | manager, 1 000 batches | the same where each asks for the big lock and a node of its own besides |
// | manager, 1 000 without limit | the same, one lock after the other: all hold the big lock while they wait |
// | manager, 1 000 in turns | the same lock shared by every second one |
import { bigLock, createLockManager, type LockRequest, lockName } from "@ganeti-ts/locking";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";

helpIfAsked("bench/grants.bench.ts");

async function perSecond(pairs: number, work: () => Promise<number>): Promise<number> {
  const rates = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    const done = await work();
    // The work happened.
    if (done !== pairs) throw new Error(`${done} of ${pairs} pairs`);
    rates.push((pairs / (performance.now() - start)) * 1000);
  }
  return rounded(Math.max(...rates));
}

async function free(pairs: number): Promise<number> {
  const manager = createLockManager();
  let done = 0;
  for (let id = 0; id < pairs; id++) {
    const requests: LockRequest[] = [
      { lock: bigLock, mode: "shared" },
      { lock: lockName("instance", `web${id}`), mode: "exclusive" },
      { lock: lockName("node", `node${id % 50}`), mode: "shared" },
    ];
    if (await manager.acquire({ id }, requests, { timeoutMs: 5000 })) done++;
    await manager.releaseAll({ id });
  }
  return done;
}

async function contended(pairs: number): Promise<number> {
  const manager = createLockManager();
  let done = 0;
  const job = async (id: number) => {
    for (let turn = 0; turn < pairs / 20; turn++) {
      const lock = lockName("instance", `web${(id + turn) % 5}`);
      const requests: LockRequest[] = [
        { lock: bigLock, mode: "shared" },
        { lock, mode: "exclusive" },
      ];
      if (await manager.acquire({ id }, requests, { timeoutMs: 60_000 })) done++;
      await manager.releaseAll({ id });
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, id) => job(id)));
  return done;
}

/** All ask at once, and each frees what it was granted. */
async function crowd(
  pairs: number,
  requestsOf: (id: number) => readonly LockRequest[],
  timeoutMs?: number,
): Promise<number> {
  const manager = createLockManager();
  let done = 0;
  const job = async (id: number) => {
    if (await manager.acquire({ id }, requestsOf(id), { timeoutMs })) done++;
    await manager.releaseAll({ id });
  };
  await Promise.all(Array.from({ length: pairs }, (_, id) => job(id)));
  return done;
}

const wanted: LockRequest = { lock: lockName("node", "a"), mode: "exclusive" };

const longQueue = (pairs: number) => crowd(pairs, () => [wanted], 60_000);

const batchOf = (id: number): LockRequest[] => [
  { lock: bigLock, mode: "shared" },
  wanted,
  { lock: lockName("node", `b${id}`), mode: "exclusive" },
];

const longQueueOfBatches = (pairs: number) => crowd(pairs, batchOf, 60_000);

const longQueueWithoutLimit = (pairs: number) => crowd(pairs, batchOf);

const longQueueInTurns = (pairs: number) =>
  crowd(pairs, (id) => [id % 2 === 0 ? wanted : { ...wanted, mode: "shared" }], 60_000);

const results = [];
for (const [series, pairs, work] of [
  ["manager, free", 20_000, free],
  ["manager, contended", 20_000, contended],
  ["manager, long queue", 1000, longQueue],
  ["manager, 1 000 batches", 1000, longQueueOfBatches],
  ["manager, 1 000 without limit", 1000, longQueueWithoutLimit],
  ["manager, 1 000 in turns", 1000, longQueueInTurns],
] as const) {
  const result = { series, pairs, perSecond: await perSecond(pairs, () => work(pairs)) };
  console.log(JSON.stringify(result));
  results.push(result);
}
recordIfAsked("bench/baseline.json", { results });
