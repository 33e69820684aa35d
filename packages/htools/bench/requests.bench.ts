// How long an answer takes, from a loaded message to the answer. Options:
//   --record     writes baseline.json; without it, what differs from it is shown
//   --hail       also runs the original, where it is installed, on up to 200 nodes, for the ratio
//   --only=TEXT  only series whose name contains it
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { answerRequest, loadCluster } from "@ganeti-ts/htools";
import { hailMs } from "./original.js";
import { allSeries, type Series } from "./series.js";

interface Result {
  readonly series: string;
  readonly nodes: number;
  /** The fastest of several answers. */
  readonly ms: number;
  /** The first one, with nothing warmed up by this series. */
  readonly firstMs: number;
}

/** Exponents by pair of sizes: `20 to 200`. */
type Growth = Readonly<Record<string, number>>;

interface Baseline {
  readonly machine: string;
  readonly node: string;
  readonly commit: string;
  readonly results: readonly Result[];
  /** By series: with which power of the number of nodes the time grows, between neighbouring sizes. */
  readonly growth: Readonly<Record<string, Growth>>;
}

const baselineFile = "bench/baseline.json";
const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
const before = existsSync(baselineFile)
  ? (JSON.parse(readFileSync(baselineFile, "utf8")) as Baseline)
  : undefined;

const results: Result[] = [];
const growth: Record<string, Growth> = {};
for (const series of allSeries.filter(({ name }) => name.includes(only))) {
  const measured = series.sizes.map((nodes) => measure(series, nodes));
  results.push(...measured);
  const exponents = exponentsOf(measured);
  growth[series.name] = exponents;
  console.log(`  grows with nodes^${Object.values(exponents).join(", ^")}`);
}
if (words.includes("--record")) record();

function measure(series: Series, nodes: number): Result {
  const message = series.message(nodes);
  const options = { ignoreSoftErrors: false, capacityChecks: series.capacityChecks ?? true };
  const times: number[] = [];
  for (let spent = 0; times.length < 2 || (spent < 1000 && times.length < 50); ) {
    const start = performance.now();
    const { answer } = answerRequest(loadCluster(message.cluster), message.request, options);
    times.push(performance.now() - start);
    spent += times.at(-1) ?? 0;
    // The work happened.
    if (!answer.success || series.placed(answer) !== series.expected(message)) {
      throw new Error(`${series.name} on ${nodes} nodes: ${JSON.stringify(answer).slice(0, 300)}`);
    }
  }
  const [firstMs = 0] = times;
  const result = {
    series: series.name,
    nodes,
    ms: rounded(Math.min(...times)),
    firstMs: rounded(firstMs),
  };
  console.log([line(result), comparison(result), againstHail(series, result)].join(""));
  return result;
}

function line({ series, nodes, ms, firstMs }: Result): string {
  const size = `${series.padEnd(28)}${String(nodes).padStart(5)} nodes`;
  return `${size}${String(ms).padStart(9)} ms (first ${firstMs})`;
}

function comparison({ series, nodes, ms }: Result): string {
  const known = before?.results.find((one) => one.series === series && one.nodes === nodes);
  return known === undefined ? "" : `, ${(ms / known.ms).toFixed(2)} of the baseline`;
}

function againstHail(series: Series, { nodes, ms }: Result): string {
  if (!words.includes("--hail") || nodes > 200) return "";
  const theirs = hailMs(series.message(nodes), series.capacityChecks ?? true);
  if (typeof theirs === "string") return `, ${theirs}`;
  return `, hail ${rounded(theirs)} ms, ${(theirs / ms).toFixed(1)} times ours`;
}

function exponentsOf(measured: readonly Result[]): Growth {
  const steps = measured.slice(1).map((result, at) => {
    const smaller = measured[at] as Result;
    const exponent = Math.log(result.ms / smaller.ms) / Math.log(result.nodes / smaller.nodes);
    return [`${smaller.nodes} to ${result.nodes}`, rounded(exponent)] as const;
  });
  return Object.fromEntries(steps);
}

function record(): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`;
  const baseline: Baseline = { machine, node: process.version, commit, results, growth };
  writeFileSync(baselineFile, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
