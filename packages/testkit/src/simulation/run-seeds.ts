/** runSeeds: the command line of a simulation. */

/** One run; `broken` says what was wrong. */
interface SeedOutcome {
  readonly broken: string | undefined;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Runs seeds until one is broken: `--from=1 --count=1000`, and the further numbers in `options`, which are given with their
 * defaults. With `--seconds=150` no run begins after that time, and the last line tells how to continue.
 */
export async function runSeeds<Option extends string>(
  packageName: string,
  options: Readonly<Record<Option, number>>,
  run: (seed: number, given: Readonly<Record<Option, number>>) => Promise<SeedOutcome>,
): Promise<void> {
  const numberOf = (name: string, otherwise: number): number => {
    const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
    return given === undefined ? otherwise : Number(given.split("=")[1]);
  };
  const names = Object.keys(options) as Option[];
  const given: Record<Option, number> = { ...options };
  for (const name of names) given[name] = numberOf(name, options[name]);
  const more = names
    .filter((name) => given[name] !== options[name])
    .map((name) => ` --${name}=${given[name]}`)
    .join("");
  const again = (first: number, count: number) =>
    `pnpm --filter ${packageName} simulate --from=${first} --count=${count}${more}`;
  const from = numberOf("from", 1);
  const end = from + numberOf("count", 100);
  const secondsMax = numberOf("seconds", Number.POSITIVE_INFINITY);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const sums: Record<string, number> = {};
  let seed = from;
  for (; seed < end && seconds() < secondsMax; seed++) {
    const { broken, counts } = await run(seed, given);
    if (broken !== undefined) {
      console.error(`seed ${seed}: ${broken}\nagain: ${again(seed, 1)}`);
      process.exit(1);
    }
    for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + value;
    if ((seed - from + 1) % 1000 === 0) console.log(`${seed - from + 1} seeds`);
  }
  const { user, system } = process.cpuUsage();
  const seen = Object.entries(sums).map(([name, value]) => `${name} ${Math.round(value)}`);
  const time = `${seconds().toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of processor time)`;
  console.log(`${seed - from} seeds from ${from} in ${time}, nothing broken: ${seen.join(", ")}`);
  if (seed < end) console.log(`the others: ${again(seed, end - seed)} --seconds=${secondsMax}`);
}
