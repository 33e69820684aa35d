// Command line of the simulation. Many runs: `pnpm simulate --from=1 --count=1000`; a single run:
// `pnpm simulate --from=SEED --count=1`.
import { simulate } from "./simulate.js";

const option = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.split("=")[1]);
};

const from = option("from", 1);
const count = option("count", 100);
const start = performance.now();
const sums: Record<string, number> = {};
for (let seed = from; seed < from + count; seed++) {
  const { violation, counts } = await simulate(seed);
  if (violation !== undefined) {
    console.error(`seed ${seed}: ${violation.invariant}: ${violation.what}`);
    console.error(
      `again: pnpm --filter @ganeti-ts/logical-units simulate --from=${seed} --count=1`,
    );
    process.exit(1);
  }
  for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + value;
  if ((seed - from + 1) % 1000 === 0) console.log(`${seed - from + 1} seeds`);
}
const seconds = (performance.now() - start) / 1000;
const seen = Object.entries(sums).map(([name, value]) => `${name} ${Math.round(value)}`);
console.log(
  `${count} seeds from ${from} in ${seconds.toFixed(1)} s, nothing broken: ${seen.join(", ")}`,
);
