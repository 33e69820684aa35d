/**
 * Common frame of the benchmarks: each series is measured on clusters of several sizes, and compared with
 * the recorded baseline. Options: `--record` records the measured series, `--only=TEXT` selects those whose
 * name contains TEXT.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { thisMachine } from "../../../tooling/bench.js";

export interface Sized {
  readonly name: string;
  /** Nodes. */
  readonly sizes: readonly number[];
}

export interface Result {
  readonly series: string;
  readonly nodes: number;
  /** The fastest of several. */
  readonly ms: number;
}

/** A result, and what is printed of it: before and behind the comparison with the baseline. */
export interface Measured {
  readonly result: Result;
  readonly line: string;
  readonly beside?: string;
}

/** One series as it was recorded. */
interface Recorded extends ReturnType<typeof thisMachine> {
  readonly commit: string;
  readonly results: readonly Omit<Result, "series">[];
  /** With which power of the number of nodes the time grows, between neighbouring sizes (`20 to 200`). */
  readonly growth: Growth;
}

/** By name of the series. */
type Baseline = Readonly<Record<string, Recorded>>;

type Growth = Readonly<Record<string, number>>;

const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";

export const isAskedFor = (option: string): boolean => words.includes(option);

export function benchmark<S extends Sized>(
  baselineFile: string,
  allSeries: readonly S[],
  measure: (series: S, nodes: number) => Measured,
): void {
  const before = baselineIn(baselineFile);
  const measured = allSeries
    .filter(({ name }) => name.includes(only))
    .map((series) => {
      const results = series.sizes.map((nodes) => {
        const { result, line, beside = "" } = measure(series, nodes);
        console.log(`${line}${comparison(result, before)}${beside}`);
        return result;
      });
      const growth = exponentsOf(results);
      console.log(`  grows with nodes^${Object.values(growth).join(", ^")}`);
      return { name: series.name, results, growth };
    });
  if (!isAskedFor("--record")) return;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const origin = { ...thisMachine(), commit };
  const recorded = measured.map(({ name, results, growth }): [string, Recorded] => {
    return [name, { ...origin, results: results.map(({ series, ...rest }) => rest), growth }];
  });
  const known = allSeries.map(({ name }) => name);
  const kept = Object.entries(before).filter(([name]) => known.includes(name));
  const baseline: Baseline = Object.fromEntries([...kept, ...recorded]);
  writeFileSync(baselineFile, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

const baselineIn = (file: string): Baseline =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

/**
 * The times of several runs in ms: at least two, then until a second is spent.
 * @param run gives how long what is measured took, in ms
 */
export function timesOf(run: () => number, runsMax = 50): readonly number[] {
  const times: number[] = [];
  for (let spent = 0; times.length < 2 || (spent < 1000 && times.length < runsMax); ) {
    const ms = run();
    times.push(ms);
    spent += ms;
    // One is enough of what takes so long.
    if (spent > 10_000) break;
  }
  return times;
}

/** Processor time (ms) of this process so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function comparison({ series, nodes, ms }: Result, before: Baseline): string {
  const known = before[series]?.results.find((one) => one.nodes === nodes);
  return known === undefined ? "" : `, ${(ms / known.ms).toFixed(2)} of the baseline`;
}

function exponentsOf(measured: readonly Result[]): Growth {
  const steps = measured.slice(1).map((result, at) => {
    const smaller = measured[at] as Result;
    const exponent = Math.log(result.ms / smaller.ms) / Math.log(result.nodes / smaller.nodes);
    return [`${smaller.nodes} to ${result.nodes}`, rounded(exponent)] as const;
  });
  return Object.fromEntries(steps);
}
