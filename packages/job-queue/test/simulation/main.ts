// Many runs: `pnpm simulate --from=1 --count=1000`. One run, for a look at it: `pnpm simulate --from=SEED --count=1`.
import { type Outcome, simulate } from "./simulate.js";

const option = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};

const from = option("from", 1);
const count = option("count", 1000);
const start = performance.now();
const sums: Record<string, number> = {};
for (let seed = from; seed < from + count; seed++) {
  const outcome: Outcome = await simulate(seed);
  if (outcome.violation !== undefined) {
    console.error(`seed ${seed}: ${outcome.violation.message}`);
    console.error(`again: pnpm --filter @ganeti-ts/job-queue simulate --from=${seed} --count=1`);
    process.exit(1);
  }
  const seen = {
    jobs: outcome.jobCount,
    ...outcome.counts,
    virtualHours: outcome.virtualMs / 3.6e6,
  };
  for (const [name, value] of Object.entries(seen)) sums[name] = (sums[name] ?? 0) + value;
  if ((seed - from + 1) % 10_000 === 0) console.log(`${seed - from + 1} seeds`);
}
const seconds = (performance.now() - start) / 1000;
const seen = Object.entries(sums).map(([name, value]) => `${name} ${Math.round(value)}`);
console.log(
  `${count} seeds from ${from} in ${seconds.toFixed(1)} s, nothing broken: ${seen.join(", ")}`,
);
