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
  const names = Object.keys(options) as Option[];
  const words = process.argv.slice(2).filter((word) => word !== "--");
  if (isAnswered(packageName, options, words)) return;
  const numberOf = (name: string, otherwise: number): number => {
    const word = words.find((one) => one.startsWith(`--${name}=`));
    return word === undefined ? otherwise : Number(word.split("=")[1]);
  };
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

/** Whether the words ask for the options, or name one that does not exist: then these are printed, and nothing is run. */
function isAnswered(
  packageName: string,
  options: Readonly<Record<string, number>>,
  words: readonly string[],
): boolean {
  const known = ["from", "count", "seconds", ...Object.keys(options)];
  const isKnown = (word: string) => known.includes(/^--([a-z]+)=\d+$/.exec(word)?.[1] ?? "");
  const isHelp = words.includes("--help") || words.includes("-h");
  const wrong = words.find((word) => !isKnown(word));
  if (wrong === undefined) return false;
  const usage = usageOf(packageName, options);
  if (isHelp) console.log(usage);
  else console.error(`'${wrong}' is not an option of this simulation\n${usage}`);
  process.exitCode = isHelp ? 0 : 1;
  return true;
}

const usageOf = (packageName: string, options: Readonly<Record<string, number>>): string =>
  [
    `Usage: pnpm --filter ${packageName} simulate [--from=SEED] [--count=RUNS] [--seconds=TIME]`,
    "  --from=SEED     first seed (1)",
    "  --count=RUNS    number of runs, one for each seed (100)",
    "  --seconds=TIME  begin no run after this time",
    ...Object.entries(options).map(([name, value]) => `  --${name}=NUMBER  (${value})`),
  ].join("\n");
