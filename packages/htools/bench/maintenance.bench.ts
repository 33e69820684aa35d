// How long it takes to group nodes for reboots, and to find nodes that can be switched off, from a
// loaded cluster on. Options:
//   --record     writes maintenance-baseline.json; without it, what differs from it is shown
//   --original   also runs Ganeti's program, where it is installed, with its start and its reading
//   --only=TEXT  only series whose name contains it
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cluster,
  colourings,
  fewestColours,
  loadCluster,
  nodesToReboot,
  rebootGraph,
  rebootGroups,
  squeeze,
  writeClusterText,
} from "@ganeti-ts/htools";
import { busyCluster, type Mix } from "./cluster.js";

interface Series {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly mix: Mix;
  /** Gives how many nodes are in the answer; some must be. */
  readonly answer: (cluster: Cluster) => number;
  readonly original: readonly string[];
}

const drbd: Mix = { fourth: "drbd", others: "drbd" };
const mixed: Mix = { fourth: "plain", others: "drbd" };
const shared: Mix = { fourth: "ext", others: "ext" };

const grouping = (fullEvacuation: boolean) => (cluster: Cluster) => {
  const nodes = nodesToReboot(cluster);
  const { classes } = fewestColours(colourings(rebootGraph(cluster, nodes, false)));
  return rebootGroups(cluster, classes, nodes, { fullEvacuation }).flatMap((group) => group.nodes)
    .length;
};

const allSeries: readonly Series[] = [
  {
    name: "reboot groups, drbd",
    sizes: [20, 200, 2000, 20_000],
    mix: drbd,
    answer: grouping(false),
    original: ["hroller", "-f"],
  },
  {
    name: "reboot groups, quarter plain",
    sizes: [20, 200, 2000, 20_000],
    mix: mixed,
    answer: grouping(false),
    original: ["hroller", "-f"],
  },
  {
    name: "reboot groups, all moved away",
    // Of more nodes, one whose instances cannot fail over is enough to refuse all.
    sizes: [20, 200],
    mix: mixed,
    answer: grouping(true),
    original: ["hroller", "-f", "--full-evacuation"],
  },
  {
    name: "nodes to switch off",
    sizes: [5, 10, 20, 50],
    mix: shared,
    answer: (cluster) => squeeze(cluster, { minimalResources: 2, targetResources: 2 }).nodes.length,
    original: ["hsqueeze"],
  },
];

interface Result {
  readonly series: string;
  readonly nodes: number;
  /** The fastest of several. */
  readonly ms: number;
}

const baselineFile = "bench/maintenance-baseline.json";
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

function measure(series: Series, nodes: number): Result {
  const data = busyCluster(nodes, series.mix);
  const times: number[] = [];
  for (let spent = 0; times.length < 2 || (spent < 1000 && times.length < 50); ) {
    const cluster = loadCluster(data);
    const start = performance.now();
    const found = series.answer(cluster);
    times.push(performance.now() - start);
    spent += times.at(-1) ?? 0;
    // The work happened.
    if (found === 0) throw new Error(`${series.name} on ${nodes} nodes finds none`);
    if (spent > 10_000) break;
  }
  const result = { series: series.name, nodes, ms: rounded(Math.min(...times)) };
  const known = before.find((one) => one.series === result.series && one.nodes === nodes);
  const compared = known ? `, ${(result.ms / known.ms).toFixed(2)} of the baseline` : "";
  const line = `${series.name.padEnd(32)}${String(nodes).padStart(6)} nodes`;
  const original = againstOriginal(series, loadCluster(data), result.ms);
  console.log(`${line}${String(result.ms).padStart(10)} ms${compared}${original}`);
  return result;
}

function againstOriginal({ original }: Series, cluster: Cluster, ms: number): string {
  if (!words.includes("--original") || cluster.nodeCount > 2000) return "";
  const [name = "", ...argv] = original;
  if (!existsSync(`/usr/bin/${name}`)) return `, ${name} is not installed`;
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    const file = join(folder, "cluster.data");
    writeFileSync(file, writeClusterText(cluster));
    const start = performance.now();
    const { status } = spawnSync(`/usr/bin/${name}`, [...argv, "-t", file], { timeout: 120_000 });
    const spent = performance.now() - start;
    if (status !== 0) return `, ${name} fails or takes more than 120 s`;
    return `, ${name} ${rounded(spent)} ms, ${(spent / ms).toFixed(1)} times ours`;
  } finally {
    rmSync(folder, { recursive: true });
  }
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
