// Benchmarks of allocator requests and of calls to simulated nodes. `--record COMMIT` writes allocation-baseline.json.
//
// | figure | what it is |
// |---|---|
// | entriesFirstMs | the cluster's part of a message, without cached entries |
// | entriesMs | the same after adding one instance; median |
// | textMs | the message for a program; median |
// | coreMs | the message for the built-in hail; median |
// | allocateMs | one allocation by it, including two calls to each node; median |
// | callsPerSecond | calls that change a simulated node, in memory |
import {
  Allocators,
  allocatorMessage,
  clusterEntries,
  InstanceEntryCache,
  messageText,
  type RequestEntry,
  type WantedInstance,
  wantedEntry,
} from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { systemClock } from "@ganeti-ts/protocol";
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

/** The same cluster in which one more instance has changed. */
function changed(now: Snapshot, round: number): Snapshot {
  const instance = [...now.instances()][round % now.instanceCount] as RealInstance;
  const object = { ...instance, tags: [`round:${round}`] };
  return now.with([{ kind: "put", type: "instance", object }], {
    serial: now.serial + 1,
    mtime: now.mtime,
  });
}

async function ofCluster(nodeCount: number, instanceCount: number) {
  const { now: first, live } = clusterOf(nodeCount, instanceCount);
  const nodes = await SimulatedNodes.open({
    clock: systemClock,
    hosts: Array.from(first.nodes(), ({ name }) => ({
      name,
      memoryTotalMib: 262144,
      volumeGroups: { xenvg: { "/dev/sda": 4_000_000 } },
    })),
  });
  for (const { uuid, name, primary_ip } of first.nodes()) {
    await nodes.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: primary_ip });
  }
  const allocators = new Allocators({ nodes });
  let now = first;
  const cache = new InstanceEntryCache();
  let entries = clusterEntries(now, live, undefined, cache);
  const rounds = 9;
  const entriesFirstMs = rounded(await timed(() => clusterEntries(now, live)));
  const step = (round: number) => {
    now = changed(now, round);
  };
  const entriesMs = await median(rounds, (round) => {
    step(round);
    return timed(() => {
      entries = clusterEntries(now, live, undefined, cache);
    });
  });
  let bytes = 0;
  const textMs = await median(rounds, (round) => {
    step(round);
    entries = clusterEntries(now, live, undefined, cache);
    return timed(() => {
      bytes = messageText(entries, request).length;
    });
  });
  const coreMs = await median(rounds, (round) => {
    step(round);
    entries = clusterEntries(now, live, undefined, cache);
    return timed(() => allocatorMessage(entries, request));
  });
  const allocateMs = await median(rounds, (round) => {
    step(round);
    return timed(async () => {
      const { nodes: found } = await allocators.allocate(
        { now, caller, iallocator: "hail" },
        wanted,
      );
      // Guards against timing a request that found no nodes.
      if (found.length !== 2) throw new Error("no nodes");
    });
  });
  return { nodeCount, instanceCount, bytes, entriesFirstMs, entriesMs, textMs, coreMs, allocateMs };
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
      const disk = { uuid: "more", dev_type: "plain", logical_id: ["xenvg", "more"], size: 1024 };
      await nodes.call("n1", "blockdev_remove", { disk }, caller);
    }
  });
  return rounded((count / ms) * 1000);
}

const results = [];
for (const [nodeCount, instanceCount] of [
  [3, 6],
  [20, 400],
  [200, 4000],
  [1000, 20000],
] as const) {
  const result = await ofCluster(nodeCount, instanceCount);
  results.push(result);
  console.log(JSON.stringify(result));
}
const calls = {
  callsPerSecond: await callsPerSecond(),
};
console.log(JSON.stringify(calls));

recordIfAsked("bench/allocation-baseline.json", { results, calls });
