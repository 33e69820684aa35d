// Benchmark of balancing a loaded cluster of ten instances per node, in processor time. Options:
//   --record     writes balance-baseline.json; without it, what differs from it is shown
//   --only=TEXT  only series whose name contains it
import { balance, groupView, loadCluster } from "@ganeti-ts/htools";
import { helpIfAsked } from "../../../tooling/bench.js";
import {
  benchmark,
  cpuMs,
  type Measured,
  type Result,
  rounded,
  type Sized,
  timesOf,
} from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

helpIfAsked("bench/balance.bench.ts");

interface Series extends Sized {
  readonly mix: Mix;
  /** Negative: to the end. */
  readonly stepsMax: number;
}

const drbd: Mix = { fourth: "drbd", others: "drbd" };
const mixed: Mix = { fourth: "ext", others: "drbd" };
const extended: Mix = { ...drbd, newNodes: 0.5 };
const packed: Mix = { ...drbd, newNodes: 0.8 };

const toTheEnd = { sizes: [20, 100, 300, 1000], stepsMax: -1 };
const firstStep = { sizes: [20, 100, 1000, 10_000], stepsMax: 1 };

const allSeries: readonly Series[] = [
  { name: "first step, drbd", mix: drbd, ...firstStep },
  { name: "first step, quarter ext", mix: mixed, ...firstStep },
  { name: "first step, half of the nodes new", mix: extended, ...firstStep },
  { name: "to the end, drbd", mix: drbd, ...toTheEnd },
  { name: "to the end, quarter ext", mix: mixed, ...toTheEnd },
  { name: "to the end, half of the nodes new", mix: extended, ...toTheEnd },
  { name: "to the end, packed on a fifth", mix: packed, sizes: [20, 100, 300], stepsMax: -1 },
];

interface Improved extends Result {
  readonly steps: number;
}

benchmark("bench/balance-baseline.json", allSeries, measure);

function measure({ name, mix, stepsMax }: Series, nodes: number): Measured {
  const data = busyCluster(nodes, mix);
  let steps = 0;
  const times = timesOf(() => {
    const cluster = loadCluster(data);
    const view = groupView(cluster, 0);
    const start = cpuMs();
    steps = [...balance(cluster, view, { stepsMax })].length;
    const ms = cpuMs() - start;
    // The work happened.
    if (steps === 0) throw new Error(`${name} on ${nodes} nodes makes no step`);
    return ms;
  }, 10);
  const result: Improved = { series: name, nodes, steps, ms: rounded(Math.min(...times)) };
  const size = `${name.padEnd(34)}${String(nodes).padStart(6)} nodes`;
  const made = `${String(steps).padStart(6)} steps`;
  return { result, line: `${size}${made}${String(result.ms).padStart(9)} ms` };
}
