// Benchmark of reboot groups and of the search for nodes to switch off, on a loaded cluster. Options:
//   --record     writes maintenance-baseline.json; without it, what differs from it is shown
//   --original   also runs Ganeti's program, where it is installed, with its start and its reading
//   --only=TEXT  only series whose name contains it
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
import { helpIfAsked } from "../../../tooling/bench.js";
import { benchmark, isAskedFor, type Measured, rounded, type Sized, timesOf } from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

helpIfAsked("bench/maintenance.bench.ts");

interface Series extends Sized {
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
    // On larger clusters, one node whose instances cannot fail over makes the program refuse all.
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

benchmark("bench/maintenance-baseline.json", allSeries, measure);

function measure(series: Series, nodes: number): Measured {
  const data = busyCluster(nodes, series.mix);
  const times = timesOf(() => {
    const cluster = loadCluster(data);
    const start = performance.now();
    const found = series.answer(cluster);
    const ms = performance.now() - start;
    // The work happened.
    if (found === 0) throw new Error(`${series.name} on ${nodes} nodes finds none`);
    return ms;
  });
  const ms = rounded(Math.min(...times));
  const size = `${series.name.padEnd(32)}${String(nodes).padStart(6)} nodes`;
  return {
    result: { series: series.name, nodes, ms },
    line: `${size}${String(ms).padStart(10)} ms`,
    beside: againstOriginal(series, loadCluster(data), ms),
  };
}

function againstOriginal({ original }: Series, cluster: Cluster, ms: number): string {
  if (!isAskedFor("--original") || cluster.nodeCount > 2000) return "";
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
