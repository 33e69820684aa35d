// Our queue in this process, on a store that one process has: four slots.

import { type Executor, JobQueue, type JobStore } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { type Measured, mustBe, type Submission, submitAll, until } from "./jobs.js";
import { ownCpuMs } from "./processes.js";

export const noop = { OP_ID: "OP_TEST_DUMMY" };

/** Runs `count` jobs and gives their times. The store is closed at the end. */
export async function runLocal(
  store: JobStore,
  submission: Submission,
  count: number,
  slots: number,
): Promise<Measured> {
  let runs = 0;
  const executor: Executor = { run: () => ++runs };
  const queue = await JobQueue.open({
    store,
    executor,
    capacity: slots,
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
  });
  await queue.change({ runningMax: slots });
  const cpuBefore = ownCpuMs();
  const start = performance.now();
  await submitAll(submission, count, {
    async batch() {
      const answers = await queue.submitMany(Array.from({ length: count }, () => [noop]));
      mustBe(answers.filter(([ok]) => ok).length, count, "jobs accepted");
    },
    async single() {
      await queue.submit([noop]);
    },
  });
  const submitMs = performance.now() - start;
  await until(() => runs === count);
  await queue.idle();
  const totalMs = performance.now() - start;
  const cpuMs = ownCpuMs() - cpuBefore;
  await mustAllHaveEnded(queue, store, count);
  mustBe(runs, count, "runs");
  await queue.stop();
  return { submitMs, totalMs, cpuMs };
}

/** The work happened: as many jobs as were handed in have ended, all of them well. */
export async function mustAllHaveEnded(queue: JobQueue, store: JobStore, count: number) {
  const ended = await store.list({ archived: false, endedBefore: Infinity });
  mustBe(ended.length, count, "jobs ended");
  const rows = await queue.query(ended, ["status"]);
  mustBe(rows.filter((row) => row?.[0] === "success").length, count, "jobs with success");
}
