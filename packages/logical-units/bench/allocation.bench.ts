// Benchmarks of allocator requests and of calls to simulated nodes. `--record COMMIT` writes allocation-baseline.json.
//
// | figure | meaning (milliseconds, medians; one instance is added before each round) |
// |---|---|
// | freshMs | one allocation with new entries, message and placement core; nodes are not queried |
// | keptMs | one allocation by the built-in hail with kept figures of nodes |
// | keptCpuMs | the same in processor time of the whole process |
// | askingMs | the same, asking all nodes: two calls each |
// | textMs | the message for a program |
// | callsPerSecond | calls that change a simulated node, in memory |
import {
  Allocators,
  allocatorMessage,
  clusterEntries,
  messageText,
  NodeFigures,
  type RequestEntry,
  type WantedInstance,
  wantedEntry,
} from "@ganeti-ts/allocators";
import type { ConfigurationStep, Snapshot } from "@ganeti-ts/config";
import { answerRequest, loadCluster } from "@ganeti-ts/htools";
import type { NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { clusterOf } from "./cluster.js";

helpIfAsked("bench/allocation.bench.ts");

const rounded = (value: number) => Number(value.toPrecision(3));

async function timed(action: () => unknown): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Median duration (ms) as returned by `action`, which gets the number of earlier rounds. */
async function median(
  rounds: number,
  action: (round: number) => Promise<number> | number,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await action(round));
  return rounded(times.sort((a, b) => a - b)[rounds >> 1] as number);
}

const wanted: WantedInstance = {
  name: "new.example.com",
  memoryMib: 512,
  vcpus: 1,
  spindleUse: 1,
  diskTemplate: "drbd",
  disks: [{ sizeMib: 1024 }],
  nics: [{}],
  os: "noop",
  hypervisor: "kvm",
  tags: [],
};
const request: RequestEntry = { type: "allocate", ...wantedEntry(wanted), group_name: null };
const caller = { lease: "1:1", signal: new AbortController().signal };

/** The same cluster with one more instance, between others. */
function step(before: Snapshot, round: number): ConfigurationStep {
  const instances = [...before.instances()] as RealInstance[];
  const like = instances[(round * 7919) % instances.length] as RealInstance;
  const disk = before.disksOf(like)[0] as RealDisk;
  const uuid = `${like.uuid.slice(0, -2)}${round}x`;
  const object = { ...like, uuid, name: `added${round}.example.com`, disks: [`${uuid}d`] };
  const changes = [
    { kind: "put", type: "disk", object: { ...disk, uuid: `${uuid}d` } },
    { kind: "put", type: "instance", object },
  ] as unknown as ConfigurationStep["changes"];
  const head = { serial: before.serial + 1, mtime: before.mtime };
  return { before, after: before.with(changes, head), changes, faults: [] };
}

async function simulatedNodes(now: Snapshot): Promise<SimulatedNodes> {
  const nodes = await SimulatedNodes.open({
    clock: systemClock,
    hosts: Array.from(now.nodes(), ({ name }) => ({
      name,
      memoryTotalMib: 262144,
      volumeGroups: { xenvg: { "/dev/sda": 4_000_000 } },
    })),
  });
  for (const { uuid, name, primary_ip } of now.nodes()) {
    await nodes.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: primary_ip });
  }
  return nodes;
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function ofCluster(nodeCount: number, instanceCount: number) {
  const { now: first, live } = clusterOf(nodeCount, instanceCount);
  const nodes = await simulatedNodes(first);
  let now = first;
  const listeners: ((step: ConfigurationStep) => void)[] = [];
  const config = {
    get snapshot() {
      return now;
    },
    onChange(listener: (step: ConfigurationStep) => void) {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const figures = new NodeFigures(
    { nodes, clock: systemClock, random: secureRandom },
    { ageMaxMs: 3_600_000 },
  );
  const end = figures.follow(config);
  const next = (round: number) => {
    const made = step(now, round);
    now = made.after;
    for (const listener of listeners) listener(made);
  };
  const allocate = async (allocators: Allocators) => {
    const { nodes: found } = await allocators.allocate({ now, caller, iallocator: "hail" }, wanted);
    // Guards against timing a request that found no nodes.
    if (found.length !== 2) throw new Error("no nodes");
  };
  let round = 10;
  const timedRounds = (count: number, action: () => unknown) =>
    median(count, () => {
      next(round++);
      return timed(action);
    });
  const kept = new Allocators({ nodes, figures });
  for (let i = 0; i < 4; i++) await timedRounds(1, () => allocate(kept));
  const keptMs = await timedRounds(15, () => allocate(kept));
  const keptCpuMs = await median(15, async () => {
    next(round++);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const start = cpuMs();
    await allocate(kept);
    return cpuMs() - start;
  });
  end();
  const asking = new Allocators({ nodes });
  await allocate(asking);
  const rounds = nodeCount > 1000 ? 3 : 9;
  const askingMs = await timedRounds(rounds, () => allocate(asking));
  const freshMs = await timedRounds(rounds, () => {
    const message = allocatorMessage(clusterEntries(now, live), request);
    const { answer } = answerRequest(loadCluster(message.cluster), message.request);
    if (!answer.success) throw new Error(answer.info);
  });
  const entries = clusterEntries(now, live);
  messageText(entries, request);
  let bytes = 0;
  const textMs = await median(rounds, () =>
    timed(() => {
      bytes = messageText(entries, request).length;
    }),
  );
  return { nodeCount, instanceCount, bytes, freshMs, keptMs, keptCpuMs, askingMs, textMs };
}

/** A node with 20 volumes on which another one is made and removed. */
async function callsPerSecond(): Promise<number> {
  const nodes = await SimulatedNodes.open({
    clock: systemClock,
    hosts: [{ name: "node1.example.com" }],
  });
  const address = { primaryIp: "192.0.2.1", secondaryIp: "192.0.2.1" };
  await nodes.introduce({ uuid: "n1", name: "node1.example.com", ...address });
  const create = (name: string) =>
    nodes.call(
      "n1" satisfies string as NodeUuid,
      "blockdev_create",
      {
        disk: { uuid: name, dev_type: "plain", logical_id: ["xenvg", name], size: 1024 },
        sizeMib: 1024,
        owner: "web",
        onPrimary: true,
        info: "",
        exclusiveStorage: false,
      },
      caller,
    );
  for (let number = 0; number < 20; number++) await create(`volume${number}`);
  const count = 2000;
  const ms = await timed(async () => {
    for (let number = 0; number < count / 2; number++) {
      const { ok } = await create("more");
      if (!ok) throw new Error("not made");
      const disk = {
        uuid: "more",
        dev_type: "plain" as const,
        logical_id: ["xenvg", "more"],
        size: 1024,
      };
      await nodes.call("n1", "blockdev_remove", { disk }, caller);
    }
  });
  return rounded((count / ms) * 1000);
}

const results: Awaited<ReturnType<typeof ofCluster>>[] = [];
for (const [nodeCount, instanceCount] of [
  [20, 400],
  [100, 2000],
  [1000, 20000],
  [10_000, 100_000],
] as const) {
  const result = await ofCluster(nodeCount, instanceCount);
  results.push(result);
  console.log(JSON.stringify(result));
}
const calls = {
  callsPerSecond: await callsPerSecond(),
};
console.log(JSON.stringify(calls));

/** Power of the number of nodes with which the processor time of a placement grows, between neighbouring sizes. */
const growth = Object.fromEntries(
  results.slice(1).map((larger, at) => {
    const smaller = results[at] as typeof larger;
    const nodes = larger.nodeCount / smaller.nodeCount;
    const exponent = Math.log(larger.keptCpuMs / smaller.keptCpuMs) / Math.log(nodes);
    return [`${smaller.nodeCount} to ${larger.nodeCount}`, rounded(exponent)];
  }),
);
console.log(JSON.stringify(growth));
recordIfAsked("bench/allocation-baseline.json", { results, growth, calls });
