// Benchmark of scheduling passes. `--record COMMIT` writes baseline.json.
//
// | figure | state before |
// |---|---|
// | first | nothing: jobs just loaded, rules just made |
// | newRules | the jobs; the rules have just changed |
// | next | jobs and rules: what a queue pays each time something ends |
import { type FilterableJob, pass, type RuleChain, ruleChain } from "@ganeti-ts/job-filter";
import { compilePattern } from "@ganeti-ts/query";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";
import { longQueue, manyRules } from "./queue.js";

helpIfAsked("bench/pass.bench.ts");

const runningMax = 20;

function timed(
  jobs: readonly FilterableJob[],
  claimed: readonly FilterableJob[],
  chain: RuleChain,
) {
  const start = performance.now();
  const { held, start: started } = pass({ queued: jobs, claimed, chain, runningMax });
  const ms = performance.now() - start;
  // The work happened: every job was judged, and what may start does.
  if (held.length + started.length !== jobs.length) throw new Error("jobs are missing");
  if (!held.some(({ causes }) => causes[0]?.kind === "paused")) throw new Error("nobody is paused");
  return ms;
}

const best = (times: readonly number[]) => rounded(Math.min(...times));

const results = [];
for (const jobCount of [1000, 10_000]) {
  for (const ruleCount of [10, 100]) {
    const times = { first: [] as number[], newRules: [] as number[], next: [] as number[] };
    for (let round = 0; round < 7; round++) {
      const all = longQueue(jobCount + 10);
      const [jobs, claimed] = [all.slice(10), all.slice(0, 10)];
      const rules = manyRules(ruleCount);
      times.first.push(timed(jobs, claimed, ruleChain(rules, compilePattern)));
      const chain = ruleChain(rules, compilePattern);
      times.newRules.push(timed(jobs, claimed, chain));
      times.next.push(timed(jobs, claimed, chain));
    }
    const result = {
      jobs: jobCount,
      rules: ruleCount,
      firstMs: best(times.first),
      firstOfAllMs: rounded(times.first[0] as number),
      newRulesMs: best(times.newRules),
      nextMs: best(times.next),
    };
    console.log(JSON.stringify(result));
    results.push(result);
  }
}
recordIfAsked("bench/baseline.json", { results });
