// A cluster in which everything is used: three nodes in two groups, an empty group, networks, instances.
import { type ConfigChange, consistencyFaults } from "@ganeti-ts/config";
import {
  type GroupObject,
  GroupUuid,
  type Json,
  type JsonObject,
  type NetworkObject,
  NetworkUuid,
} from "@ganeti-ts/protocol";
import { expect } from "vitest";
import { type Ran, type TestCluster, testCluster } from "../support/cluster.js";
import { type Answers, FakeNodes } from "../support/fake-nodes.js";
import { adding, aMirroredDisk, anInstance, aPlainDisk, uuidOf } from "../support/instances.js";

const empty = "0".repeat(16);

const aNetwork = (number: number, more: Partial<NetworkObject> = {}): NetworkObject => ({
  uuid: NetworkUuid.parse(uuidOf(900 + number)),
  ...{ name: `net${number}`, network: `10.${number}.0.0/28`, tags: [] },
  ...{ reservations: empty, ext_reservations: `1${"0".repeat(14)}1` },
  ...more,
});

const aGroup = (number: number, more: Partial<GroupObject> = {}): GroupObject => ({
  uuid: GroupUuid.parse(uuidOf(800 + number)),
  ...{ name: `group${number}`, alloc_policy: "preferred", ndparams: {}, ipolicy: {} },
  ...{ diskparams: {}, networks: {}, tags: [] },
  ...more,
});

/** Nodes as they should be. */
const healthy: Answers = {
  version: () => ({ protocol: 3_000_000, release: "3.0.2" }),
  node_verify: () => ({}),
  node_info: () => ({
    bootId: "boot",
    storage: [{ type: "lvm-vg", name: "xenvg", size: 100_000, free: 90_000 }],
    hypervisors: [
      {
        ...{ memoryTotalMib: 8192, memoryFreeMib: 7000, memoryNodeMib: 512 },
        ...{ cpuTotal: 16, cpuNode: 1, cpuNodes: 1, cpuSockets: 1 },
      },
    ],
  }),
  all_instances_info: () => ({}),
  vg_list: () => ({ xenvg: 100_000 }),
  drbd_helper: () => "/bin/true",
  os_validate: () => false,
  node_has_ip_address: () => true,
  node_crypto_tokens: (node) => ({ digest: `digest of ${node}` }),
};

export interface BusyCluster extends TestCluster {
  readonly fake: FakeNodes;
  /** As `run`, with a name for each UUID that the test knows; and the configuration is sound after it. */
  try(opcode: JsonObject): Promise<Ran>;
}

/**
 * node1 (master), node2, node3 in `default`; node4 in `group1`, offline if it is said; `group2` is empty.
 * inst1: mirrored on node1 and node2, up. inst2: plain on node2, down. inst3: plain on node4, down.
 * net1 is connected to `default` and used by inst1; net2 is connected to nothing.
 */
export async function busyCluster(
  answers: Answers = {},
  cluster: NonNullable<Parameters<typeof testCluster>[1]>["cluster"] = {},
): Promise<BusyCluster> {
  const fake = new FakeNodes({ ...healthy, ...answers });
  const made = await testCluster(fake, {
    nodeCount: 4,
    cluster: { highest_used_port: 11_100, ...cluster },
  });
  const [one, two, , four] = made.nodes;
  if (one === undefined || two === undefined || four === undefined) throw new Error("nodes");
  const net1 = aNetwork(1, {
    gateway: "10.1.0.1",
    reservations: `00001${"0".repeat(11)}`,
    ext_reservations: `11${"0".repeat(13)}1`,
  });
  const { snapshot } = made.config;
  const [home] = [...snapshot.groups()];
  const last = snapshot.node(four);
  if (home === undefined || last === undefined) throw new Error("groups");
  const changes: readonly ConfigChange[] = [
    { kind: "put", type: "network", object: net1 },
    { kind: "put", type: "network", object: aNetwork(2) },
    { kind: "put", type: "group", object: aGroup(1) },
    { kind: "put", type: "group", object: aGroup(2) },
    {
      ...{ kind: "put", type: "group" },
      object: { ...home, networks: { [net1.uuid]: { mode: "bridged", link: "br1", vlan: "" } } },
    },
    { kind: "put", type: "node", object: { ...last, group: aGroup(1).uuid } },
    ...adding(
      anInstance(1, {
        ...{ primary_node: one, admin_state: "up", disks_active: true, tags: ["web"] },
        nics: [
          {
            ...{ uuid: uuidOf(701), mac: "aa:00:00:00:00:01", ip: "10.1.0.4" },
            ...{ network: net1.uuid, nicparams: {} },
          },
        ],
      }),
      [aMirroredDisk(10, [one, two])],
    ),
    ...adding(
      anInstance(2, {
        primary_node: two,
        nics: [{ uuid: uuidOf(702), mac: "aa:00:00:00:00:02", nicparams: {} }],
      }),
      [aPlainDisk(20, two)],
    ),
    ...adding(anInstance(3, { primary_node: four }), [aPlainDisk(30, four)]),
  ];
  await made.put(...changes);
  const names = new Map<string, string>();
  for (const one of [...made.config.snapshot.nodes(), ...made.config.snapshot.groups()]) {
    names.set(one.uuid, `<${one.name}>`);
  }
  expect(consistencyFaults(made.config.snapshot)).toEqual([]);
  return {
    ...made,
    fake,
    async try(opcode) {
      const ran = await made.run(opcode);
      expect(consistencyFaults(made.config.snapshot)).toEqual([]);
      return JSON.parse(named(JSON.stringify(ran), names)) as Ran;
    },
  };
}

function named(text: string, names: ReadonlyMap<string, string>): string {
  let shown = text;
  for (const [uuid, name] of names) shown = shown.replaceAll(uuid, name);
  return shown;
}

export interface RefusalCase {
  readonly why: string;
  readonly before?: readonly JsonObject[];
  readonly opcode: JsonObject;
  readonly result: Json;
  readonly log?: readonly string[];
}
