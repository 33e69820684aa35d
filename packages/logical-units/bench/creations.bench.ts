// Benchmark of instance creations per second: queue, allocator, configuration, simulated nodes
// without delays, stores in memory; asking all nodes for each placement, and with kept figures. `--record COMMIT` writes creations-baseline.json.

import { Allocators, NodeFigures } from "@ganeti-ts/allocators";
import {
  Configuration,
  createConfiguration,
  createMemoryStore,
  initialConfiguration,
} from "@ganeti-ts/config";
import { JobQueue, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock as clock, secureRandom as random } from "@ganeti-ts/protocol";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { createExecutor } from "../src/executor.js";

helpIfAsked("bench/creations.bench.ts");

const instanceCount = 300;

interface Creations {
  readonly perSecond: number;
  /** Processor time (ms) of the process per creation. */
  readonly cpuMs: number;
}

/**
 * Creations of 1 GiB mirrored disks on nodes chosen by hail, without the time to build the cluster.
 */
async function measure(nodeCount: number, keepsFigures: boolean): Promise<Creations> {
  const names = Array.from({ length: nodeCount }, (_, at) => `node${at}.example.com`);
  const store = createMemoryStore();
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: names.map((name, at) => ({ name, primary_ip: `10.0.${at >> 8}.${at & 255}` })),
    random,
    now: 1_700_000_000,
  });
  await createConfiguration(store, content);
  const config = await Configuration.open(store, { clock, random });
  const nodes = await SimulatedNodes.open({ clock, hosts: names.map((name) => ({ name })) });
  for (const { uuid, name, primary_ip: ip } of config.snapshot.nodes()) {
    await nodes.introduce({ uuid, name, primaryIp: ip, secondaryIp: ip });
  }
  const resolver = {
    resolve: async (name: string) => ({ ok: true as const, name, ip: "192.0.2.1" }),
    isAlive: async () => false,
  };
  const figures = new NodeFigures({ nodes, clock, random }, { ageMaxMs: 30_000 });
  const forget = keepsFigures ? figures.follow(config) : undefined;
  const allocators = new Allocators({ nodes, ...(keepsFigures && { figures }) });
  const masterHost = nodes.masterHost(() => config.snapshot.cluster.master_node);
  const ports = { config, nodes, masterHost, allocators, resolver, clock, random };
  const executor = createExecutor(ports);
  const jobs = new MemoryDatabase(clock).connect(clock);
  const queue = await JobQueue.open({
    store: jobs,
    locks: createLockManager(),
    clock,
    random,
    executor,
  });
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  await queue.submitMany(
    Array.from({ length: instanceCount }, (_, at) => [
      {
        OP_ID: "OP_INSTANCE_CREATE",
        instance_name: `web${at}.example.com`,
        mode: "create",
        os_type: "noop+default",
        disk_template: "drbd",
        disks: [{ size: 1024 }],
        nics: [{}],
        beparams: { memory: 512 },
        wait_for_sync: false,
        iallocator: "hail",
      },
    ]),
  );
  await queue.idle();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (config.snapshot.instanceCount !== instanceCount) throw new Error("not all were created");
  await queue.stop();
  forget?.();
  return {
    perSecond: Math.round(instanceCount / seconds),
    cpuMs: Number(((user + system) / 1000 / instanceCount).toPrecision(3)),
  };
}

// The first creations are compiled while they run.
await measure(20, true);
const results: Record<string, { asking: Creations; kept: Creations }> = {};
for (const nodeCount of [20, 200, 1000]) {
  const asking = await measure(nodeCount, false);
  results[nodeCount] = { asking, kept: await measure(nodeCount, true) };
  console.log(nodeCount, JSON.stringify(results[nodeCount]));
}
recordIfAsked("bench/creations-baseline.json", { results });
