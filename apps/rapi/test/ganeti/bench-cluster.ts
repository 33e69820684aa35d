/** BenchCluster: our cluster in this process, with its data in memory, on the node daemons of a bench. */

import { type Cluster, memoryStoresOf, openCluster } from "@ganeti-ts/cluster";
import type { Snapshot } from "@ganeti-ts/config";
import { systemResolver } from "@ganeti-ts/machines";
import {
  type Clock,
  type Json,
  type JsonObject,
  secureRandom,
  systemClock,
} from "@ganeti-ts/protocol";
import type { ReferenceBench } from "@ganeti-ts/reference";
import { firstConfiguration, masterMachine, noFence } from "@ganeti-ts/takeover";
import { FaultyNodes } from "./faulty-nodes.js";
import { unlessHanging } from "./hanging.js";

/** A job that has ended, with the lines of its log. */
export interface EndedJob {
  readonly status: string;
  readonly results: readonly Json[];
  readonly log: readonly string[];
}

export interface BenchCluster {
  readonly nodes: FaultyNodes;
  readonly snapshot: () => Snapshot;
  /** Runs a job of one opcode to its end. */
  run(opcode: JsonObject): Promise<EndedJob>;
  /** Errors and warnings of a verification, in alphabetical order. */
  verified(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Waits of the cluster (recovery every 30 s, polls of mirrors) take this part of their time. */
const hurry = 30;

const hurriedClock: Clock = {
  now: () => systemClock.now() * hurry,
  after: (delayMs, then) => systemClock.after(delayMs / hurry, then),
  wallMicros: () => systemClock.wallMicros(),
};

/** Ganeti's master daemons must have been stopped. */
export async function openBenchCluster(bench: ReferenceBench): Promise<BenchCluster> {
  const { name: host, root, dataFolder: data } = bench.master;
  const site = { host, root, data };
  const [filling, stores] = memoryStoresOf(2, { clock: hurriedClock });
  if (filling === undefined || stores === undefined)
    throw new Error("two connections were asked for");
  await firstConfiguration(filling, site);
  const nodes = await FaultyNodes.open(bench);
  const cluster = await openCluster({
    stores,
    clock: hurriedClock,
    random: secureRandom,
    nodes: (now) => ({ backend: nodes, fence: noFence, masterHost: masterMachine(site, now) }),
    resolver: systemResolver,
  });
  return {
    nodes,
    snapshot: cluster.snapshot,
    run: async (opcode) => {
      const id = await cluster.queue.submit([opcode]);
      return unlessHanging(endOf(cluster, id), () => stateOf(cluster, nodes, id));
    },
    verified: () => verified(cluster),
    async close() {
      await cluster.close();
      nodes.close();
    },
  };
}

async function stateOf({ queue }: Cluster, nodes: FaultyNodes, id: Id): Promise<string> {
  const [row] = await queue.query([id], ["summary", "status", "oplog"]);
  const calls = { underWay: nodes.underWay, last: nodes.made.slice(-3).map(({ place }) => place) };
  return JSON.stringify([row, calls], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

type Id = Awaited<ReturnType<Cluster["queue"]["submit"]>>;

async function endOf({ queue }: Cluster, id: Id): Promise<EndedJob> {
  const { status, results } = await queue.ended(id);
  const [row] = await queue.query([id], ["oplog"]);
  const [entries] = (row?.[0] ?? []) as readonly (readonly Json[])[];
  const log = (entries ?? []).map((entry) => textIn((entry as readonly Json[]).at(-1) ?? ""));
  return { status, results, log };
}

const textIn = (message: Json): string =>
  typeof message === "string" ? message : JSON.stringify(message);

async function verified(cluster: Cluster): Promise<readonly string[]> {
  const id = await cluster.queue.submit([{ OP_ID: "OP_CLUSTER_VERIFY" }]);
  const whole = await endOf(cluster, id);
  const [result] = whole.results as readonly { readonly jobs: readonly [boolean, Id][] }[];
  const parts: EndedJob[] = [];
  for (const [, job] of result?.jobs ?? []) parts.push(await endOf(cluster, job));
  return [whole, ...parts]
    .flatMap(({ log }) => log)
    .flatMap((text) => text.split("\n"))
    .filter((line) => /ERROR|WARNING/.test(line))
    .map((line) => line.trim())
    .toSorted();
}
