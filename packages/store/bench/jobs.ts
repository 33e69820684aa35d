// Workload of every series: a number of jobs that do nothing, submitted together or one call at a time.
import type { Waits } from "./waits.js";

/** Ways to submit jobs: all in one call, or in a call each with 50 calls under way. */
export type Submission = "batch" | "single";

const callsUnderWay = 50;

/** Hands `count` jobs in, by `batch(count)` once or by `single()` for each. */
export async function submitAll(
  submission: Submission,
  count: number,
  calls: { batch(count: number): Promise<unknown>; single(): Promise<unknown> },
): Promise<void> {
  if (submission === "batch") {
    await calls.batch(count);
    return;
  }
  let left = count;
  const client = async () => {
    while (left > 0) {
      left--;
      await calls.single();
    }
  };
  await Promise.all(Array.from({ length: callsUnderWay }, client));
}

/** Waits until `isDone`, asking every 10 ms; gives up after a minute. */
export async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error("the jobs do not end");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Result of one series. */
export interface Measured {
  readonly submitMs: number;
  /** From the first call to the end of the last job, durable. */
  readonly totalMs: number;
  /** Processor time (ms) of the processes that submit and run the jobs. */
  readonly cpuMs: number;
  /** Part of `cpuMs` that the servers have used; absent if one process submits and runs. */
  readonly serverCpuMs?: number;
  /** Processor time (ms) of the database server; absent without one. */
  readonly databaseCpuMs?: number;
  /** Samples of waits in the database's sessions, if they were taken. */
  readonly waits?: Waits;
  /** Part of the time in which processes of each role had used up their share, if they have one. */
  readonly exhausted?: Readonly<Record<string, number>>;
}

export function mustBe(found: number, wanted: number, what: string): void {
  if (found !== wanted) throw new Error(`${found} ${what}, not ${wanted}`);
}
