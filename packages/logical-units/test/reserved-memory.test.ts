// Memory of reservations beside instances that a node gives what it has free: those with less minimum than maximum.
import type { JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { about, create, mirrored } from "./support/opcodes.js";
import { type SimulatedCluster, simulatedCluster } from "./support/simulated.js";

/** Of 32 GiB, the node uses one. */
const reservedMib = 20 * 1024;
const leftMib = 11 * 1024;
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
    expect(cluster.config.snapshot.heldInstances()).toEqual([]);
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
