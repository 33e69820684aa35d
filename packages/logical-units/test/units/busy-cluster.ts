// Cluster that uses every kind of object: three nodes in two groups, an empty group, networks,
// instances.
import {
  type ConfigChange,
  consistencyFaults,
  diskOnNode,
  instanceOnNode,
  type Snapshot,
} from "@ganeti-ts/config";
import {
  type GroupObject,
  GroupUuid,
  type Json,
  type JsonObject,
  type NetworkObject,
  NetworkUuid,
  systemClock,
} from "@ganeti-ts/protocol";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { expect } from "vitest";
import { type Ran, type TestCluster, testCluster } from "../support/cluster.js";
import { adding, aMirroredDisk, anInstance, aPlainDisk, uuidOf } from "../support/instances.js";
import { type Answers, WatchedNodes } from "../support/watched-nodes.js";

const empty = "0".repeat(16);

const aNetwork = (number: number, more: Partial<NetworkObject> = {}): NetworkObject => ({
  uuid: NetworkUuid.parse(uuidOf(900 + number)),
  name: `net${number}`,
  network: `10.${number}.0.0/28`,
  tags: [],
  reservations: empty,
  ext_reservations: `1${"0".repeat(14)}1`,
  ...more,
});

const aGroup = (number: number, more: Partial<GroupObject> = {}): GroupObject => ({
  uuid: GroupUuid.parse(uuidOf(800 + number)),
  name: `group${number}`,
  alloc_policy: "preferred",
  ndparams: {},
  ipolicy: {},
  diskparams: {},
  networks: {},
  tags: [],
  ...more,
});

export interface BusyCluster extends TestCluster {
  readonly watched: WatchedNodes;
  /** Like `run`, with UUIDs replaced by names; expects a consistent configuration afterwards. */
  try(opcode: JsonObject): Promise<Ran>;
}

/**
 * node1 (master), node2, node3 in `default`; node4 in `group1`, offline if requested; `group2` is
 * empty. inst1: mirrored on node1 and node2, up. inst2: plain on node2, down. inst3: plain on
 * node4, down. net1 is connected to `default` and used by inst1; net2 is not connected.
 */
export async function busyCluster(
  answers: Answers = {},
  cluster: NonNullable<Parameters<typeof testCluster>[1]>["cluster"] = {},
): Promise<BusyCluster> {
  const host = { volumeGroups: { xenvg: { "/dev/sda": 100_000 } }, bridges: ["xen-br0", "br1"] };
  const simulated = await SimulatedNodes.open({
    clock: systemClock,
    hosts: Array.from({ length: 4 }, (_, at) => ({ name: `node${at + 1}.example.com`, ...host })),
    newHost: (name) => ({ name, ...host }),
  });
  const watched = new WatchedNodes(simulated, answers);
  const made = await testCluster(watched, {
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
      kind: "put",
      type: "group",
      object: { ...home, networks: { [net1.uuid]: { mode: "bridged", link: "br1", vlan: "" } } },
    },
    { kind: "put", type: "node", object: { ...last, group: aGroup(1).uuid } },
    ...adding(
      anInstance(1, {
        primary_node: one,
        admin_state: "up",
        disks_active: true,
        tags: ["web"],
        nics: [
          {
            uuid: uuidOf(701),
            mac: "aa:00:00:00:00:01",
            ip: "10.1.0.4",
            network: net1.uuid,
            nicparams: {},
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
  await makeThemSo(simulated, made.config.snapshot);
  watched.asked.length = 0;
  const names = new Map<string, string>();
  for (const one of [...made.config.snapshot.nodes(), ...made.config.snapshot.groups()]) {
    names.set(one.uuid, `<${one.name}>`);
  }
  expect(consistencyFaults(made.config.snapshot)).toEqual([]);
  return {
    ...made,
    watched,
    async try(opcode) {
      const ran = await made.run(opcode);
      expect(consistencyFaults(made.config.snapshot)).toEqual([]);
      return JSON.parse(named(JSON.stringify(ran), names)) as Ran;
    },
  };
}

/** Creates the configured disks on the nodes and starts the instances that are up. */
async function makeThemSo(simulated: SimulatedNodes, now: Snapshot): Promise<void> {
  const caller = { lease: "0:0", signal: new AbortController().signal };
  for (const instance of now.instances()) {
    if (instance.forthcoming) continue;
    const owner = instance.name;
    for (const [index, disk] of now.disksOf(instance).entries()) {
      const onNode = diskOnNode(now, instance, disk);
      for (const node of disk.nodes) {
        const onPrimary = node === instance.primary_node;
        for (const one of [...(onNode.children ?? []), onNode]) {
          const how = { sizeMib: one.size, owner, onPrimary, info: "", exclusiveStorage: false };
          await simulated.call(node, "blockdev_create", { disk: one, ...how }, caller);
        }
        if (!instance.disks_active) continue;
        const onItsNode = instanceOnNode(now, instance);
        const assembly = { disk: onNode, instance: onItsNode, asPrimary: onPrimary, index };
        await simulated.call(node, "blockdev_assemble", assembly, caller);
      }
    }
    if (instance.admin_state !== "up") continue;
    const start = { instance: instanceOnNode(now, instance), startupPaused: false };
    const started = await simulated.call(instance.primary_node, "instance_start", start, caller);
    expect(started).toMatchObject({ ok: true });
  }
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
