/**
 * Common frame of the benchmarks: each series is measured on clusters of several sizes, and compared with
 * the recorded baseline. Options: `--record` writes a new baseline, `--only=TEXT` selects the series whose
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

interface Baseline extends ReturnType<typeof thisMachine> {
  readonly commit: string;
  readonly results: readonly Result[];
  /**
   * By series: with which power of the number of nodes the time grows, between neighbouring sizes
   * (`20 to 200`).
   */
  readonly growth: Readonly<Record<string, Growth>>;
}

type Growth = Readonly<Record<string, number>>;

const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";

export const isAskedFor = (option: string): boolean => words.includes(option);

export function benchmark<S extends Sized>(
  baselineFile: string,
  allSeries: readonly S[],
  measure: (series: S, nodes: number) => Measured,
): void {
  const before: readonly Result[] = existsSync(baselineFile)
    ? (JSON.parse(readFileSync(baselineFile, "utf8")) as Baseline).results
    : [];
  const results: Result[] = [];
  const growth: Record<string, Growth> = {};
  for (const series of allSeries.filter(({ name }) => name.includes(only))) {
    const measured = series.sizes.map((nodes) => {
      const { result, line, beside = "" } = measure(series, nodes);
      console.log(`${line}${comparison(result, before)}${beside}`);
      return result;
    });
    results.push(...measured);
    const exponents = exponentsOf(measured);
    growth[series.name] = exponents;
    console.log(`  grows with nodes^${Object.values(exponents).join(", ^")}`);
  }
  if (isAskedFor("--record")) record(baselineFile, results, growth);
}

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

function comparison({ series, nodes, ms }: Result, before: readonly Result[]): string {
  const known = before.find((one) => one.series === series && one.nodes === nodes);
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

function record(file: string, results: readonly Result[], growth: Baseline["growth"]): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const baseline: Baseline = { ...thisMachine(), commit, results, growth };
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}
