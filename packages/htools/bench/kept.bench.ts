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
import type { AllocatorRequest, ClusterData, DiskTemplate } from "@ganeti-ts/protocol";
import { helpIfAsked } from "../../../tooling/bench.js";
import { benchmark, cpuMs, type Measured, rounded, type Sized } from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

helpIfAsked("bench/kept.bench.ts");

interface Case {
  readonly name: string;
  readonly mix: Mix;
  readonly groupName?: string;
  /** Nodes of each group; without it, the mix has the number of groups. */
  readonly groupSize?: number;
  /** Template of the new instance. Default: drbd, on two nodes; the others need one. */
  readonly diskTemplate?: DiskTemplate;
}

interface Series extends Case, Sized {
  readonly isKept: boolean;
}

const sizes = [20, 100, 1000, 10_000];
const mirrored: Mix = { fourth: "drbd", others: "drbd" };
const groupSize = 200;
const cases: readonly Case[] = [
  { name: "drbd", mix: mirrored },
  { name: "drbd, two groups", mix: { ...mirrored, groupCount: 2 } },
  { name: "drbd, one of two groups", mix: { ...mirrored, groupCount: 2 }, groupName: "group1" },
  { name: "drbd, groups of 200", mix: mirrored, groupSize },
  { name: "plain", mix: mirrored, diskTemplate: "plain" },
  { name: "plain, groups of 200", mix: mirrored, diskTemplate: "plain", groupSize },
  { name: "ext, groups of 200", mix: mirrored, diskTemplate: "ext", groupSize },
];

const allSeries: readonly Series[] = cases.flatMap(({ name, ...one }) => [
  { ...one, name: `loaded, ${name}`, sizes, isKept: false },
  { ...one, name: `kept, ${name}`, sizes, isKept: true },
]);

benchmark("bench/kept-baseline.json", allSeries, measure);

function measure(series: Series, nodes: number): Measured {
  const { name, isKept } = series;
  let kept = KeptCluster.of(clusterOf(series, nodes));
  const request = requestOf(series);
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

function clusterOf({ mix, groupSize: size }: Case, nodes: number): ClusterData {
  return busyCluster(
    nodes,
    size === undefined ? mix : { ...mix, groupCount: Math.ceil(nodes / size) },
  );
}

function requestOf({ groupName, diskTemplate = "drbd" }: Case): AllocatorRequest {
  return allocationOf({
    ...{ name: "new", memoryMib: 512, disksMib: [1024], diskTemplate },
    ...(groupName !== undefined && { groupName }),
  });
}

/** Adds and removes an instance in turn. */
function changeOf(kept: KeptCluster, round: number): ClusterChange {
  const { instances } = kept.cluster.data;
  const index = (round * 7919) % instances.length;
  const data = instances[index];
  if (round % 2 === 1 || data === undefined) return { removed: [index] };
  return { added: [{ index, data: { ...data, name: `added${round}.example.com` } }] };
}
