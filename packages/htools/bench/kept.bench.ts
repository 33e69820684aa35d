// Benchmark of one allocation after one change of the cluster, in processor time (median): on a kept cluster, and on
// one that is loaded again. Options:
//   --record     writes kept-baseline.json; without it, what differs from it is shown
//   --only=TEXT  only series whose name contains it
import {
  allocationOf,
  answerRequest,
  type ClusterChange,
  KeptCluster,
  loadCluster,
} from "@ganeti-ts/htools";
import { helpIfAsked } from "../../../tooling/bench.js";
import { benchmark, cpuMs, type Measured, rounded, type Sized } from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

helpIfAsked("bench/kept.bench.ts");

interface Series extends Sized {
  readonly mix: Mix;
  readonly groupName?: string;
  readonly isKept: boolean;
}

const sizes = [20, 100, 1000, 10_000];
const mirrored: Mix = { fourth: "drbd", others: "drbd" };
const mixes: readonly (Pick<Series, "name" | "mix"> & { readonly groupName?: string })[] = [
  { name: "drbd", mix: mirrored },
  { name: "drbd, two groups", mix: { ...mirrored, groupCount: 2 } },
  { name: "drbd, one of two groups", mix: { ...mirrored, groupCount: 2 }, groupName: "group1" },
];

const allSeries: readonly Series[] = mixes.flatMap(({ name, ...one }) => [
  { ...one, name: `loaded, ${name}`, sizes, isKept: false },
  { ...one, name: `kept, ${name}`, sizes, isKept: true },
]);

benchmark("bench/kept-baseline.json", allSeries, measure);

function measure({ name, mix, groupName, isKept }: Series, nodes: number): Measured {
  let kept = KeptCluster.of(busyCluster(nodes, mix));
  const wanted = { name: "new", memoryMib: 512, disksMib: [1024] };
  const request = allocationOf(groupName === undefined ? wanted : { ...wanted, groupName });
  const times: number[] = [];
  const rounds = isKept ? 41 : nodes < 1000 ? 21 : 7;
  for (let round = 0; round < rounds; round++) {
    const change = changeOf(kept, round);
    let { data } = kept;
    const start = cpuMs();
    kept = kept.withChange(change);
    if (!isKept) ({ data } = kept);
    const begin = isKept ? start : cpuMs();
    const cluster = isKept ? kept.cluster : loadCluster(data);
    const { answer } = answerRequest(cluster, request);
    times.push(cpuMs() - begin);
    // The work happened.
    if (!answer.success) throw new Error(`${name} on ${nodes} nodes: ${answer.info}`);
  }
  const ms = rounded(times.slice(2).sort((a, b) => a - b)[(rounds - 2) >> 1] as number);
  const line = `${name.padEnd(32)}${String(nodes).padStart(6)} nodes${String(ms).padStart(9)} ms`;
  return { result: { series: name, nodes, ms }, line };
}

/** Adds and removes an instance in turn. */
function changeOf(kept: KeptCluster, round: number): ClusterChange {
  const { instances } = kept.cluster.data;
  const index = (round * 7919) % instances.length;
  const data = instances[index];
  if (round % 2 === 1 || data === undefined) return { removed: [index] };
  return { added: [{ index, data: { ...data, name: `added${round}.example.com` } }] };
}
