// Benchmark of capacity runs on a loaded cluster: tiered from 24 GiB memory, 128 GiB disk and 8 vCPUs
// down, or all of the standard size. Options:
//   --record     writes capacity-baseline.json; without it, what differs from it is shown
//   --only=TEXT  only series whose name contains it
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
import { helpIfAsked } from "../../../tooling/bench.js";
import {
  benchmark,
  type Measured,
  type Result,
  rounded,
  type Sized,
  timesOf,
} from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

helpIfAsked("bench/capacity.bench.ts");

interface Series extends Sized {
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

interface Filled extends Result {
  readonly instances: number;
}

benchmark("bench/capacity-baseline.json", allSeries, measure);

function measure({ name, cluster, diskTemplate, run }: Series, nodes: number): Measured {
  const data = cluster(nodes);
  let instances = 0;
  const times = timesOf(() => {
    const planned = planCapacity(loadCluster(data), {
      diskTemplate,
      tieredSpec: { memoryMib: 24576, diskMib: 131072, vcpus: 8, spindles: 1 },
      standardSpec: { memoryMib: 3072, diskMib: 20480, vcpus: 1, spindles: 1 },
    });
    if (!planned.ok) throw new Error(planned.reason);
    const start = performance.now();
    const found = finishCapacity(run(planned.value));
    const ms = performance.now() - start;
    // The work happened.
    instances = found.ok ? found.value.placed.length : 0;
    if (instances === 0) throw new Error(`${name} on ${nodes} nodes places nothing`);
    return ms;
  }, 20);
  const result: Filled = { series: name, nodes, instances, ms: rounded(Math.min(...times)) };
  const size = `${name.padEnd(32)}${String(nodes).padStart(6)} nodes`;
  const placed = `${String(instances).padStart(7)} placed`;
  return { result, line: `${size}${placed}${String(result.ms).padStart(9)} ms` };
}
