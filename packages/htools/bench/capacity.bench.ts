// How long it takes to find out how many instances a cluster has room for, from a loaded cluster on:
// tiered from 24 GiB memory, 128 GiB disk and 8 vCPUs down, or all of the standard size. Options:
//   --record     writes capacity-baseline.json; without it, what differs from it is shown
//   --only=TEXT  only series whose name contains it
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import {
  type CapacityPlan,
  finishCapacity,
  loadCluster,
  planCapacity,
  simulateCluster,
  standardCapacity,
  tieredCapacity,
} from "@ganeti-ts/htools";
import type { ClusterData, DiskTemplate } from "@ganeti-ts/protocol";
import { busyCluster, type Mix } from "./cluster.js";

interface Series {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly cluster: (nodes: number) => ClusterData;
  readonly diskTemplate: DiskTemplate;
  readonly run: (plan: CapacityPlan) => ReturnType<typeof tieredCapacity>;
}

const busy = (mix: Mix) => (nodes: number) => busyCluster(nodes, mix);
const equal = (nodes: number) => simulateCluster([`p,${nodes},2t,64g,16`]);
const drbd: Mix = { fourth: "drbd", others: "drbd" };
const mixed: Mix = { fourth: "ext", others: "drbd" };

const allSeries: readonly Series[] = [
  {
    name: "tiered drbd",
    sizes: [20, 200, 800],
    cluster: busy(drbd),
    diskTemplate: "drbd",
    run: tieredCapacity,
  },
  {
    name: "standard drbd",
    sizes: [20, 200, 800],
    cluster: busy(drbd),
    diskTemplate: "drbd",
    run: standardCapacity,
  },
  {
    name: "tiered drbd, equal empty nodes",
    sizes: [20, 200, 800],
    cluster: equal,
    diskTemplate: "drbd",
    run: tieredCapacity,
  },
  {
    name: "tiered plain",
    sizes: [20, 60, 200],
    cluster: busy(drbd),
    diskTemplate: "plain",
    run: tieredCapacity,
  },
  {
    name: "tiered plain, quarter ext",
    sizes: [4, 20, 60],
    cluster: busy(mixed),
    diskTemplate: "plain",
    run: tieredCapacity,
  },
];

interface Result {
  readonly series: string;
  readonly nodes: number;
  readonly instances: number;
  /** The fastest of several. */
  readonly ms: number;
}

const baselineFile = "bench/capacity-baseline.json";
const words = process.argv.slice(2);
const only = words.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
const before: readonly Result[] = existsSync(baselineFile)
  ? JSON.parse(readFileSync(baselineFile, "utf8")).results
  : [];

const results: Result[] = [];
/** By series: with which power of the number of nodes the time grows, between neighbouring sizes. */
const growth: Record<string, Readonly<Record<string, number>>> = {};
for (const series of allSeries.filter(({ name }) => name.includes(only))) {
  const measured = series.sizes.map((nodes) => measure(series, nodes));
  const exponents = measured.slice(1).map(({ ms, nodes }, at) => {
    const smaller = measured[at] as Result;
    const exponent = Math.log(ms / smaller.ms) / Math.log(nodes / smaller.nodes);
    return [`${smaller.nodes} to ${nodes}`, rounded(exponent)] as const;
  });
  growth[series.name] = Object.fromEntries(exponents);
  results.push(...measured);
  console.log(`  grows with nodes^${exponents.map(([, exponent]) => exponent).join(", ^")}`);
}
if (words.includes("--record")) record();

function measure({ name, cluster, diskTemplate, run }: Series, nodes: number): Result {
  const data = cluster(nodes);
  const times: number[] = [];
  let instances = 0;
  for (let spent = 0; times.length < 2 || (spent < 1000 && times.length < 20); ) {
    const planned = planCapacity(loadCluster(data), {
      diskTemplate,
      tieredSpec: { memoryMib: 24576, diskMib: 131072, vcpus: 8, spindles: 1 },
      standardSpec: { memoryMib: 3072, diskMib: 20480, vcpus: 1, spindles: 1 },
    });
    if (!planned.ok) throw new Error(planned.reason);
    const start = performance.now();
    const found = finishCapacity(run(planned.value));
    times.push(performance.now() - start);
    spent += times.at(-1) ?? 0;
    // The work happened.
    instances = found.ok ? found.value.placed.length : 0;
    if (instances === 0) throw new Error(`${name} on ${nodes} nodes places nothing`);
    if (spent > 20_000) break;
  }
  const result = { series: name, nodes, instances, ms: rounded(Math.min(...times)) };
  const known = before.find((one) => one.series === name && one.nodes === nodes);
  const compared = known ? `, ${(result.ms / known.ms).toFixed(2)} of the baseline` : "";
  const line = `${name.padEnd(32)}${String(nodes).padStart(6)} nodes`;
  console.log(
    `${line}${String(instances).padStart(7)} placed${String(result.ms).padStart(9)} ms${compared}`,
  );
  return result;
}

function record(): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`;
  const baseline = { machine, node: process.version, commit, results, growth };
  writeFileSync(baselineFile, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
