// An idle queue in this process: how long from the call of submit to the beginning of the job; and a long one: what
// its jobs take in memory.

import { JobQueue, type JobStore } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { mustBe } from "./jobs.js";
import { noop } from "./local.js";

export interface Idle {
  readonly medianMs: number;
  readonly percentile99Ms: number;
  /** Heap of the process per 10 000 queued jobs, the store's own included; needs --expose-gc. */
  readonly heapMib: number | undefined;
}

const rounds = 200;

/** The store is closed at the end. */
export async function measureIdle(store: JobStore): Promise<Idle> {
  let begun = 0;
  const queue = await JobQueue.open({
    store,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: {
      run: () => {
        begun = performance.now();
        return null;
      },
    },
  });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    begun = 0;
    const start = performance.now();
    await queue.submit([noop]);
    while (begun === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    times.push(begun - start);
    await queue.idle();
  }
  mustBe((await store.list({ archived: false, endedBefore: Infinity })).length, rounds, "ended");
  times.sort((a, b) => a - b);
  const heapMib = await heapOfJobs(queue);
  await queue.stop();
  return {
    medianMs: times[rounds / 2] as number,
    percentile99Ms: times[(rounds * 99) / 100] as number,
    heapMib,
  };
}

/** Jobs that nothing starts. */
async function heapOfJobs(queue: JobQueue): Promise<number | undefined> {
  if (global.gc === undefined) return undefined;
  await queue.change({ runningMax: 0 });
  global.gc();
  const before = process.memoryUsage().heapUsed;
  const jobs = Array.from({ length: 10_000 }, () => [{ ...noop }]);
  const answers = await queue.submitMany(jobs);
  mustBe(answers.filter(([ok]) => ok).length, 10_000, "jobs accepted");
  jobs.length = 0;
  global.gc();
  return (process.memoryUsage().heapUsed - before) / 2 ** 20;
}
