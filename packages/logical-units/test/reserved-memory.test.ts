// Memory of reservations beside instances that a node gives what it has free: those with less minimum than maximum.
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { about, create, mirrored } from "./support/opcodes.js";
import { refused } from "./support/results.js";
import { type SimulatedCluster, simulatedCluster } from "./support/simulated.js";

/** Of 32 GiB, 4 are set aside for the node: 8 are left beside the reservation. */
const reservedMib = 20 * 1024;
const leftMib = 8 * 1024;
const flexible = { beparams: { minmem: 1024, maxmem: 16 * 1024 } };
const reservation = create({
  ...{ instance_name: "reserved.example.com", forthcoming: true },
  beparams: { memory: reservedMib },
});
const commit = { ...create({ pnode: null, disks: null, nics: null, beparams: {} }), commit: true };

const setRuntimeMemory = (runtime_mem: number) => about("OP_INSTANCE_SET_PARAMS", { runtime_mem });
const failover = about("OP_INSTANCE_FAILOVER", { shutdown_timeout: 0 });
const reboot = (reboot_type: string) => about("OP_INSTANCE_REBOOT", { reboot_type });
const stopped = [create({ ...flexible, start: false })];
const ballooned = [create(flexible), setRuntimeMemory(1024)];

interface Way {
  readonly way: string;
  readonly before: readonly JsonObject[];
  readonly opcode: JsonObject;
  /** Memory of web1 afterwards. */
  readonly memoryMib?: number;
}

const ways: readonly Way[] = [
  { way: "a start", before: stopped, opcode: about("OP_INSTANCE_STARTUP") },
  {
    way: "a start with another maximum",
    before: [create({ beparams: { memory: 1024 }, start: false })],
    opcode: about("OP_INSTANCE_STARTUP", { beparams: { maxmem: 16 * 1024 } }),
  },
  {
    way: "a start with a maximum that fits",
    before: stopped,
    opcode: about("OP_INSTANCE_STARTUP", { beparams: { maxmem: 2048 } }),
    memoryMib: 2048,
  },
  {
    way: "a failover",
    before: [create({ ...mirrored, ...flexible, pnode: "node2", snode: "node1" })],
    opcode: failover,
  },
  { way: "a full reboot", before: ballooned, opcode: reboot("full") },
  { way: "a hard reboot", before: ballooned, opcode: reboot("hard") },
  { way: "a soft reboot", before: ballooned, opcode: reboot("soft") },
  { way: "a reboot of a stopped instance", before: stopped, opcode: reboot("full") },
  {
    way: "the start after an export",
    before: ballooned,
    opcode: about("OP_BACKUP_EXPORT", { target_node: "node2.example.com", shutdown: true }),
  },
];

const succeed = async (cluster: SimulatedCluster, ...opcodes: readonly JsonObject[]) => {
  for (const opcode of opcodes) {
    const { status, result } = await cluster.run(opcode);
    expect(status, JSON.stringify(result)).toBe("success");
  }
};

const memoryOnNode1 = ({ simulated, nodes: [node] }: SimulatedCluster, name: string) =>
  simulated.stateOf(String(node))?.instances[name]?.memoryMib;

test.each(ways)(
  "$way takes no memory of a reservation, which becomes real afterwards",
  async (one) => {
    const cluster = await simulatedCluster();
    await succeed(cluster, ...one.before, reservation, one.opcode);
    expect(memoryOnNode1(cluster, "web1.example.com")).toBe(one.memoryMib ?? leftMib);
    expect([...cluster.config.snapshot.claims()]).toEqual([]);
    await succeed(cluster, { ...commit, instance_name: "reserved.example.com" });
    expect(memoryOnNode1(cluster, "reserved.example.com")).toBe(reservedMib);
  },
);

test("an instance whose guest has shut itself down is started beside reservations as any other", async () => {
  const cluster = await simulatedCluster();
  await succeed(cluster, ...ballooned, reservation);
  await cluster.simulated.stopInstance(cluster.nodes[0] ?? "", "web1.example.com", "user");
  await succeed(cluster, about("OP_INSTANCE_SET_PARAMS", { hvparams: { user_shutdown: true } }));
  await succeed(cluster, about("OP_INSTANCE_STARTUP"));
  expect(memoryOnNode1(cluster, "web1.example.com")).toBe(leftMib);
});

test("without reservations a node gives an instance what it has free", async () => {
  const cluster = await simulatedCluster({ host: { memoryTotalMib: 10_240 } });
  await succeed(cluster, ...stopped, about("OP_INSTANCE_STARTUP"));
  expect(memoryOnNode1(cluster, "web1.example.com")).toBe(9216);
});

describe("on nodes whose guests have not touched their memory, which the kernel reports as free", () => {
  const gib = 1024;
  const sized = (name: string, memory: number, more: JsonObject = {}) =>
    create({ instance_name: `${name}.example.com`, beparams: { memory }, ...more });
  const lagging = () => simulatedCluster({ host: { memoryTotalMib: 23.5 * gib, touchedShare: 0 } });
  const lacks = (name: string, needed: number, available: number) =>
    refused(
      `Not enough memory on node node1.example.com for creating instance ${name}.example.com:` +
        ` needed ${needed} MiB, available ${available} MiB`,
      "insufficient_resources",
    );

  test("memory that was given to running instances is not reserved", async () => {
    const cluster = await lagging();
    await succeed(cluster, sized("a", 9 * gib), sized("b", 9 * gib));
    const { result } = await cluster.run(sized("c", 9 * gib, { forthcoming: true }));
    expect(result).toEqual(lacks("c", 9 * gib, 1.5 * gib));
    await succeed(cluster, sized("c", 1.5 * gib, { forthcoming: true }));
  });

  test("beside a reservation no instance is given more than is left", async () => {
    const cluster = await lagging();
    await succeed(cluster, sized("r", 9 * gib, { forthcoming: true }), sized("a", 9 * gib));
    expect((await cluster.run(sized("b", 9 * gib))).result).toEqual(lacks("b", 9 * gib, 1.5 * gib));
    const grown = { instance_name: "a.example.com", beparams: { memory: 12 * gib } };
    const { result } = await cluster.run(about("OP_INSTANCE_SET_PARAMS", grown));
    expect(JSON.stringify(result)).toContain("due to 1536 MB of memory missing");
    await succeed(cluster, { ...commit, instance_name: "r.example.com" });
  });

  test("without reservations the reported figure alone counts, as in Ganeti", async () => {
    const cluster = await lagging();
    await succeed(cluster, ...["a", "b", "c"].map((name) => sized(name, 9 * gib)));
  });

  test("the memory set aside for the node is that of the default allocator parameters", async () => {
    const cluster = await lagging();
    const { cluster: before } = cluster.config.snapshot;
    const default_iallocator_params = { "static-kvm-node-memory": "512" };
    await cluster.put({ kind: "cluster", object: { ...before, default_iallocator_params } });
    await succeed(cluster, sized("r", 22 * gib, { forthcoming: true }));
  });
});
