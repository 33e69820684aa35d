// Repeated checks of a group's disks on simulated nodes, which give the same lists of volumes until one changes. Seen to
// fail with answers remembered without what was expected, and with answers remembered that had inactive volumes.
import { answered, type LogicalVolume } from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { beforeEach, expect, test } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "../support/simulated.js";

const creation = (name: string) =>
  creationOf(`${name}.example.com`, {
    disk_template: "drbd",
    pnode: "node2.example.com",
    snode: "node3.example.com",
  });

let cluster: SimulatedCluster;
/** Lists of volumes as nodes gave them, and a change of them. */
let listed: (readonly LogicalVolume[])[];
let shown: (volumes: readonly LogicalVolume[]) => readonly LogicalVolume[];

beforeEach(async () => {
  listed = [];
  shown = (volumes) => volumes;
  cluster = await simulatedCluster({
    nodeCount: 3,
    between: (nodes) => ({
      introduce: (node) => nodes.introduce(node),
      call: async (node, name, args, caller) => {
        const answer = await nodes.call(node, name, args, caller);
        if (name !== "lv_list" || !answer.ok) return answer;
        const volumes = shown(answer.value as readonly LogicalVolume[]);
        listed.push(volumes);
        return answered(volumes) as typeof answer;
      },
    }),
  });
  await succeed(creation("web1"));
});

async function succeed(opcode: object): Promise<Json> {
  const done = await cluster.run(opcode as never);
  expect(done.status, JSON.stringify(done.result)).toBe("success");
  return done.result as Json;
}

/** Errors by node, names of instances with inactive disks, missing volumes by instance. */
const verified = async () =>
  (await succeed({ OP_ID: "OP_GROUP_VERIFY_DISKS", group_name: "default" })) as unknown as [
    Record<string, string>,
    string[],
    Record<string, [string, string][]>,
  ];

const sound = [{}, [], {}];

test("a second check has the same answers of simulated nodes, and the same result", async () => {
  expect(await verified()).toEqual(sound);
  const first = listed.splice(0);
  expect(await verified()).toEqual(sound);
  expect(first).toHaveLength(3);
  for (const [at, volumes] of listed.entries()) expect(volumes).toBe(first[at]);
});

test("a node that loses a volume is found out by the next check", async () => {
  expect(await verified()).toEqual(sound);
  const node = cluster.nodes[1] as string;
  await cluster.simulated.breakPhysicalVolume(node, "xenvg", "/dev/sda3");
  expect(await verified()).toEqual([{}, ["web1.example.com"], {}]);
  // An answer with an inactive volume stays wrong.
  expect(await verified()).toEqual([{}, ["web1.example.com"], {}]);
  await succeed({
    OP_ID: "OP_REPAIR_NODE_STORAGE",
    ...{ node_name: "node2.example.com", storage_type: "lvm-vg", name: "xenvg" },
    ignore_consistency: true,
  });
  const [, , missing] = await verified();
  expect(missing["web1.example.com"]?.map(([on]) => on)).toEqual([node, node]);
});

test("the answer of a node that was sound before does not have the volumes of a new instance", async () => {
  expect(await verified()).toEqual(sound);
  const before = listed.splice(0);
  await succeed(creation("web2"));
  // The nodes lose what they have got since.
  shown = () => before[listed.length] ?? [];
  const [, , missing] = await verified();
  expect(Object.keys(missing)).toEqual(["web2.example.com"]);
  expect(missing["web2.example.com"]).toHaveLength(4);
});
