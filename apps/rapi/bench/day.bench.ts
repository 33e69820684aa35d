// Benchmark: a day of a whole cluster on a virtual clock. `--record COMMIT` writes day-baseline.json.
//
//   pnpm bench:day [--nodes=1000,10000] [--from=0] [--until=24] [--warm=0] [--figures-age=600] [--seed=1]
//     [--rounds=7] [--profile=FILE.cpuprofile] [--record COMMIT]
//
// The cluster has ten instances on each node, most of them mirrored, and groups of 200 nodes. Its day has creations and
// removals in a wave, changes, migrations, crashes, failures of nodes with failovers and new mirrors, nodes restarted one
// after the other at night, balancing rounds, the watcher every five minutes, clients that list, search and follow. It
// runs through the job queue, the logical units, the configuration and the placement core of a server; stores are in
// memory, nodes simulated, and each size has a process of its own.
//
// | figure | meaning (processor time of the process, garbage collection included) |
// |---|---|
// | dayS | seconds for the replayed hours |
// | jobs | jobs submitted |
// | kinds | number of operations, those with a failed job, median seconds on the virtual clock until all jobs had ended |
// | singleMs | milliseconds of one operation alone on the cluster, after the day; median of `--rounds` |
// | openS | seconds to open the cluster |
// | heapMib, rssMib | at the end, after the single operations: live objects after a collection, and the whole process |
// | growth | powers of the number of nodes with which singleMs and dayS per instance grow, from the first to the last size |
//
// `--warm` replays as many hours before `--from` first, uncounted: indexes and the placement core's cluster are built once
// in a day, so that a short part of it would be charged with the cost of all of it. `--profile` writes a CPU profile of
// the counted hours; `tooling/cpu-profile.js` shows it.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { parseArgs } from "node:util";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { sizeOf } from "./day/cluster.js";
import { openDay, replay } from "./day/replay.js";
import { singleCosts } from "./day/single.js";
import { traceOf } from "./day/trace.js";

helpIfAsked("bench/day.bench.ts");

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    nodes: { ...text, default: "1000,10000" },
    from: { ...text, default: "0" },
    until: { ...text, default: "24" },
    warm: { ...text, default: "0" },
    "figures-age": { ...text, default: "600" },
    seed: { ...text, default: "1" },
    rounds: { ...text, default: "7" },
    profile: text,
    record: text,
    result: text,
  },
});
const counts = values.nodes.split(",").map(Number);

/** As the README recommends for clusters of this size. */
const youngGeneration = ["--min-semi-space-size=64", "--max-semi-space-size=64"];

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** Each size in a process of its own, so that memory is its own. */
async function all(): Promise<void> {
  const results: Record<string, Figures> = {};
  for (const count of counts) {
    const file = `bench/dist/day-${process.pid}-${count}.json`;
    const words = process.argv.slice(2).filter((word) => !word.startsWith("--nodes="));
    execFileSync(
      process.execPath,
      [
        ...["--expose-gc", "--max-old-space-size=6144", ...youngGeneration],
        ...[process.argv[1] as string, ...words],
        ...[`--nodes=${count}`, `--result=${file}`],
      ],
      { stdio: "inherit" },
    );
    results[count] = JSON.parse(readFileSync(file, "utf8")) as Figures;
    rmSync(file);
  }
  const growth = growthOf(Object.values(results));
  console.log(JSON.stringify(growth));
  const hours = { from: Number(values.from), until: Number(values.until) };
  recordIfAsked("bench/day-baseline.json", { hours, results, growth });
}

/** Powers of the number of nodes with which figures grow: 0 where they stay the same. */
function growthOf(results: readonly Figures[]): Record<string, number> {
  const [first, last] = [results[0], results.at(-1)];
  if (first === undefined || last === undefined || first === last) return {};
  const nodes = Math.log(last.size.nodeCount / first.size.nodeCount);
  const power = (smaller: number, larger: number) => rounded(Math.log(larger / smaller) / nodes);
  const perInstance = ({ day, size }: Figures) => day.dayS / size.instanceCount;
  return {
    dayPerInstance: power(perInstance(first), perInstance(last)),
    ...Object.fromEntries(
      Object.entries(first.singleMs).map(([kind, ms]) => [
        kind,
        power(ms, last.singleMs[kind] as number),
      ]),
    ),
  };
}

async function startProfile(file: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 2000 });
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
  };
}

const rounded = (value: number): number => Number(value.toPrecision(3));

const median = (found: readonly number[]): number =>
  found.toSorted((a, b) => a - b)[found.length >> 1] ?? 0;

async function figuresOf(nodeCount: number) {
  const size = sizeOf(nodeCount);
  const seed = Number(values.seed);
  const opened = await openDay({
    size,
    figuresAgeMs: Number(values["figures-age"]) * 1000,
    seed,
  });
  const { site, clients, openSeconds } = opened;
  console.log(
    `${nodeCount} nodes, ${size.instanceCount} instances, open after ${openSeconds.toFixed(1)} s`,
  );
  const hours = { fromHour: Number(values.from), untilHour: Number(values.until) };
  const trace = traceOf(size, seed);
  const warmed = { fromHour: hours.fromHour - Number(values.warm), untilHour: hours.fromHour };
  if (warmed.fromHour < warmed.untilHour) await replay(opened, trace, warmed, console.log);
  const stopProfile = values.profile === undefined ? undefined : await startProfile(values.profile);
  const { kinds, seconds } = await replay(opened, trace, hours, console.log);
  await stopProfile?.();
  console.table(
    Object.fromEntries(
      Array.from(kinds, ([kind, { count, failed, seconds }]) => [
        kind,
        { count, failed, medianS: rounded(median(seconds)) },
      ]),
    ),
  );
  for (const [failure, count] of site.failures) console.log(`${count} x ${failure}`);
  const jobs = site.cluster.queue.lastId;
  const day = { jobs, dayS: rounded(seconds), ...clients.counts };
  console.log(JSON.stringify(day));
  const singleMs = await singleCosts(opened, Number(values.rounds));
  console.log(JSON.stringify(singleMs));
  // Not before: a forced collection discards compiled code, so that operations would be charged with compiling it again.
  global.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    ...{ size, day, singleMs, openS: rounded(openSeconds) },
    ...{ heapMib: Math.round(heapUsed / 2 ** 20), rssMib: Math.round(rss / 2 ** 20) },
    kinds: Object.fromEntries(
      Array.from(kinds, ([kind, { count, failed }]) => [kind, { count, failed }]),
    ),
  };
}

if (values.result === undefined) await all();
else writeFileSync(values.result, JSON.stringify(await figuresOf(counts[0] as number)));
