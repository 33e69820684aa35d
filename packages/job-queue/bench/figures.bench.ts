// Benchmark of the queue itself, on the store in memory. `--record COMMIT` writes baseline.json.
//
// | figure | meaning |
// |---|---|
// | submitManyMs | n jobs in one call |
// | heapMibQueued | heap of n queued jobs in the worker's image and the store together |
// | ruleMs | a rule is stored |
// | judgeMs | from then until it is known why the last job is held: n queued jobs are judged again by 100 rules |
// | submitOneMs | one more job is submitted and judged while n are queued; median of 100 |
// | whyMs | whyNotRunning of a job in the middle of n; median of 100 |
// | idleMs | from the call of submit to the beginning of the job, in an idle queue; median and 99th of 100 |

import { JobQueue, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import type { FilterUuid, JobId, Json } from "@ganeti-ts/protocol";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";

helpIfAsked("bench/figures.bench.ts");

function open(run: () => Json): Promise<JobQueue> {
  return JobQueue.open({
    store: new MemoryDatabase(systemClock).connect(),
    locks: createLockManager(),
    clock: systemClock,
    random: systemRandom,
    executor: { run },
    patterns: compilePattern,
  });
}

const uuid = (at: number) =>
  `00000000-0000-4000-8000-${String(at).padStart(12, "0")}` as FilterUuid;

/** A rule that names one instance; the last one of the chain pauses everything. */
const rule = (at: number): Json => ({
  priority: at,
  predicates:
    at < 99
      ? [["opcode", ["==", "instance_name", `db${at}.example.com`]]]
      : [["opcode", ["=~", "OP_ID", "^OP_INSTANCE_"]]],
  action: at < 99 ? "REJECT" : "PAUSE",
});

const median = (times: number[]): number =>
  times.sort((a, b) => a - b)[times.length >> 1] as number;

/** Milliseconds of each of 100 runs. */
async function times(run: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < 100; round++) {
    const start = performance.now();
    await run();
    found.push(performance.now() - start);
  }
  return found;
}

const startup = (name: string) => [
  { OP_ID: "OP_INSTANCE_STARTUP", instance_name: `${name}.example.com`, force: false },
];

async function longQueue(count: number) {
  const queue = await open(() => null);
  for (let at = 0; at < 100; at++) await queue.replaceRule(uuid(at), rule(at));
  const jobs = Array.from({ length: count }, (_, at) => startup(`web${at}`));
  // There with --expose-gc.
  global.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const start = performance.now();
  const answers = await queue.submitMany(jobs);
  const submitManyMs = performance.now() - start;
  if (answers.filter(([ok]) => ok).length !== jobs.length) throw new Error("jobs are missing");
  global.gc?.();
  const heapMibQueued = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  const [reason] = await queue.whyNotRunning((answers.at(-1) as [true, never])[1]);
  if (reason === undefined) throw new Error("the last job is not held");
  const before = performance.now();
  await queue.replaceRule(uuid(0), rule(0));
  const ruleMs = performance.now() - before;
  const last = (answers.at(-1) as [true, JobId])[1];
  const judgeMs = (await times(() => queue.whyNotRunning(last)))[0] as number;
  const middle = (answers[count >> 1] as [true, JobId])[1];
  const whyMs = median(await times(() => queue.whyNotRunning(middle)));
  const submitOneMs = median(
    await times(async () => {
      await queue.submit(startup("one"));
      await queue.idle();
    }),
  );
  await queue.stop();
  return { submitManyMs, heapMibQueued, ruleMs, judgeMs, submitOneMs, whyMs };
}

async function idle() {
  let begun = 0;
  const queue = await open(() => {
    begun = performance.now();
    return null;
  });
  const times: number[] = [];
  for (let round = 0; round < 100; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    begun = 0;
    const start = performance.now();
    await queue.submit([{ OP_ID: "OP_TEST_DUMMY" }]);
    await queue.idle();
    if (begun === 0) throw new Error("the job has not run");
    times.push(begun - start);
  }
  await queue.stop();
  times.sort((a, b) => a - b);
  return { median: rounded(times[50] as number), percentile99: rounded(times[99] as number) };
}

const queues = [];
for (const [count, rounds] of [
  [10_000, 5],
  [100_000, 2],
] as const) {
  const found: Awaited<ReturnType<typeof longQueue>>[] = [];
  for (let round = 0; round < rounds; round++) found.push(await longQueue(count));
  const best = (name: keyof (typeof found)[number]) =>
    rounded(Math.min(...found.map((one) => one[name])));
  const result = {
    jobs: count,
    submitManyMs: best("submitManyMs"),
    // Measured in the first round: later ones start with the garbage of those before.
    heapMibQueued: rounded(found[0]?.heapMibQueued ?? 0),
    ruleMs: best("ruleMs"),
    judgeMs: best("judgeMs"),
    submitOneMs: best("submitOneMs"),
    whyMs: best("whyMs"),
  };
  console.log(JSON.stringify(result));
  queues.push(result);
}
const results = { queues, idleMs: await idle() };
console.log(JSON.stringify(results.idleMs));
recordIfAsked("bench/baseline.json", { results });
