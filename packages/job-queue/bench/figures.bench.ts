// What does the queue itself cost, on the store in memory? `--record COMMIT` writes baseline.json.
//
// | figure | what it is |
// |---|---|
// | submitManyMs | 10 000 jobs in one call |
// | heapMibQueued | what 10 000 queued jobs take in the worker's image and the store together |
// | ruleMs | a rule is stored: 10 000 queued jobs are judged anew by 100 rules |
// | idleMs | from the call of submit to the beginning of the job, in an idle queue; median and 99th of 100 |

import { JobQueue, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import type { FilterUuid, Json } from "@ganeti-ts/protocol";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";

helpIfAsked("bench/figures.bench.ts");

const rounded = (value: number) => Number(value.toPrecision(3));

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

async function longQueue() {
  const queue = await open(() => null);
  for (let at = 0; at < 100; at++) await queue.replaceRule(uuid(at), rule(at));
  const jobs = Array.from({ length: 10_000 }, (_, at) => [
    { OP_ID: "OP_INSTANCE_STARTUP", instance_name: `web${at}.example.com`, force: false },
  ]);
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
  await queue.stop();
  return { submitManyMs, heapMibQueued, ruleMs };
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

const rounds: Awaited<ReturnType<typeof longQueue>>[] = [];
for (let round = 0; round < 5; round++) rounds.push(await longQueue());
const best = (name: keyof (typeof rounds)[number]) =>
  rounded(Math.min(...rounds.map((one) => one[name])));
const results = {
  submitManyMs: best("submitManyMs"),
  // Of the first: later ones begin with what the ones before have left.
  heapMibQueued: rounded(rounds[0]?.heapMibQueued ?? 0),
  ruleMs: best("ruleMs"),
  idleMs: await idle(),
};
console.log(JSON.stringify(results));
recordIfAsked("bench/baseline.json", { results });
