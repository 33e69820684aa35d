// Command line of the simulation. Many runs: `pnpm simulate --from=1 --count=1000`; a single run:
// `pnpm simulate --from=SEED --count=1`. With `--nodes=1000` the cluster has so many nodes; with
// `--seconds=150` no run begins after that time, and the last line tells how to continue.
import { simulate } from "./simulate.js";

const option = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};

const from = option("from", 1);
const end = from + option("count", 100);
const nodeCount = option("nodes", 3);
const secondsMax = option("seconds", Number.POSITIVE_INFINITY);
const ofSize = nodeCount === 3 ? "" : ` --nodes=${nodeCount}`;
const again = (first: number, count: number) =>
  `pnpm --filter @ganeti-ts/cluster simulate --from=${first} --count=${count}${ofSize}`;
const start = performance.now();
const secondsSince = () => (performance.now() - start) / 1000;
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const sums: Record<string, number> = {};
let seed = from;
for (; seed < end && secondsSince() < secondsMax; seed++) {
  const { violation, counts } = await simulate(seed, { nodeCount });
  if (violation !== undefined) {
    console.error(`seed ${seed}: ${violation.invariant}: ${violation.what}`);
    console.error(`again: ${again(seed, 1)}`);
    process.exit(1);
  }
  for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + value;
  if ((seed - from + 1) % 1000 === 0) console.log(`${seed - from + 1} seeds`);
}
const seen = Object.entries(sums).map(([name, value]) => `${name} ${Math.round(value)}`);
const time = `${secondsSince().toFixed(1)} s (${cpuSeconds().toFixed(1)} s of processor time)`;
console.log(`${seed - from} seeds from ${from} in ${time}, nothing broken: ${seen.join(", ")}`);
if (seed < end) console.log(`the others: ${again(seed, end - seed)} --seconds=${secondsMax}`);
