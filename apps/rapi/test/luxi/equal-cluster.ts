/** A cluster with the objects of the populated bench, served on a socket as Ganeti's programs expect it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, createCluster, memoryStores, openCluster } from "@ganeti-ts/cluster";
import type { Snapshot } from "@ganeti-ts/config";
import type { Resolver } from "@ganeti-ts/node-calls";
import { systemClock as clock, type JsonObject, secureRandom as random } from "@ganeti-ts/protocol";
import { noDurations, noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { createLog } from "../../src/log.js";
import { listenForLuxi } from "../../src/program/luxi-listener.js";

const domain = "example.com";
const nodeName = (at: number) => `node${at}.${domain}`;
const storage = "/srv/vcluster/file-storage";

/** Hosts of the bench's cluster: itself, its nodes, and the names of sixty instances. */
const addresses = new Map([
  [`cluster.${domain}`, "10.77.0.1"],
  ...Array.from({ length: 3 }, (_, at) => [nodeName(at + 1), `10.77.0.${at + 10}`] as const),
  ...Array.from(
    { length: 60 },
    (_, at) => [`inst${at + 1}.${domain}`, `10.77.0.${at + 100}`] as const,
  ),
]);

const resolver: Resolver = {
  async resolve(name) {
    const full = name.includes(".") ? name : `${name}.${domain}`;
    const ip = addresses.get(full);
    return ip === undefined
      ? { ok: false, code: -2, reason: "Name or service not known" }
      : { ok: true, name: full, ip };
  },
  isAlive: async () => false,
};

const machine = {
  memoryTotalMib: 24_105,
  memoryNodeMib: 143,
  fileSystemMib: 258_019,
  bridges: ["xen-br0"],
  volumeGroups: {},
  operatingSystems: [
    {
      ...noopOs,
      variants: ["default", "second"],
      parameters: [["my_param", "A parameter of the OS"]] as const,
      apiVersions: [20, 15],
    },
    {
      ...noopOs,
      name: "debootstrap",
      path: "/usr/share/ganeti/os/debootstrap",
      parameters: [["filesystem", "Filesystem"]] as const,
      apiVersions: [20, 15, 10, 5],
    },
  ],
};

const instance = (at: number, node: number, more: JsonObject): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: `inst${at}.${domain}`,
  pnode: nodeName(node),
  mode: "create",
  os_type: "noop+default",
  disk_template: "diskless",
  disks: [],
  nics: [{}],
  ip_check: false,
  ...more,
});

const tags = (kind: string, name: string | null, ...list: string[]): JsonObject => ({
  OP_ID: "OP_TAGS_SET",
  kind,
  name,
  tags: list,
});

/** The jobs by which the bench is populated, in their order: their ids are equal, too. */
const population: readonly JsonObject[] = [
  { OP_ID: "OP_CLUSTER_POST_INIT" },
  { OP_ID: "OP_NODE_ADD", node_name: nodeName(2) },
  { OP_ID: "OP_NODE_ADD", node_name: nodeName(3) },
  { OP_ID: "OP_GROUP_ADD", group_name: "g2", alloc_policy: "last_resort" },
  { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "g2", nodes: [nodeName(3)], force: true },
  {
    OP_ID: "OP_NETWORK_ADD",
    network_name: "net1",
    network: "10.88.0.0/24",
    gateway: "10.88.0.1",
    add_reserved_ips: ["10.88.0.2", "10.88.0.3"],
    mac_prefix: "aa:00:01",
  },
  ...["default", "g2"].map((group_name) => ({
    OP_ID: "OP_NETWORK_CONNECT",
    ...{ network_name: "net1", group_name, network_mode: "bridged", network_link: "xen-br0" },
  })),
  instance(1, 1, { beparams: { memory: 128, vcpus: 1 }, nics: [{ ip: "pool", network: "net1" }] }),
  instance(2, 2, { beparams: { minmem: 128, maxmem: 256, vcpus: 2 } }),
  instance(3, 1, {
    disk_template: "file",
    disks: [
      { size: 16, name: "root" },
      { size: 8, mode: "ro" },
    ],
    beparams: { memory: 128 },
  }),
  instance(4, 3, { beparams: { memory: 128 }, tags: ["env:test", "owner:alice"] }),
  instance(5, 2, {
    beparams: { memory: 128 },
    start: false,
    nics: [],
    osparams: { my_param: "42" },
  }),
  instance(6, 2, {
    disk_template: "file",
    disks: [{ size: 16 }],
    beparams: { memory: 512 },
    forthcoming: true,
  }),
  tags("cluster", null, "pop", "owner:bob"),
  tags("node", nodeName(1), "rack:a1"),
  tags("nodegroup", "g2", "site:b"),
  tags("network", "net1", "vlan:7"),
  { OP_ID: "OP_TEST_DELAY", duration: 0.1 },
  { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: `inst2.${domain}` },
  { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: `inst3.${domain}` },
  { OP_ID: "OP_INSTANCE_REBOOT", instance_name: `inst1.${domain}`, reboot_type: "hard" },
];

/** The one job of the population that fails: disks in files are on one node only. */
const failing = 21;

const rules = [
  {
    priority: 10,
    action: "REJECT",
    predicates: [["reason", ["=", "user", "mallory"]]],
    reason: [["gnt:user", "maintenance", 1_795_210_046_030_864_896n]],
  },
  {
    priority: 20,
    action: ["RATE_LIMIT", 3],
    predicates: [
      ["opcode", ["=", "OP_ID", "OP_INSTANCE_CREATE"]],
      ["reason", ["=~", "reason", "^bulk"]],
    ],
  },
];

const settings = {
  name: `cluster.${domain}`,
  nodes: [{ name: nodeName(1), primary_ip: "10.77.0.10" }],
  hypervisors: ["fake" as const],
  disk_templates: ["diskless" as const, "file" as const],
  cluster: {
    master_netdev: "xen-br0",
    master_netmask: 24,
    file_storage_dir: storage,
    modify_ssh_setup: false,
  },
  parameters: {
    default_iallocator: "hail",
    nicparams: { mode: "bridged", link: "xen-br0" },
    ipolicy: {
      minmax: [
        {
          min: {
            "disk-size": 0,
            "cpu-count": 1,
            "disk-count": 0,
            "memory-size": 4,
            "nic-count": 0,
            "spindle-use": 0,
          },
          max: {
            "disk-size": 1048576,
            "cpu-count": 8,
            "disk-count": 16,
            "memory-size": 32768,
            "nic-count": 8,
            "spindle-use": 12,
          },
        },
      ],
      "vcpu-ratio": 64,
    },
  },
};

/** The cluster, with its data directory; `end` removes its files. */
export async function equalCluster() {
  const simulated = await SimulatedNodes.open({
    ...{ clock, durations: noDurations, hosts: [] },
    newHost: (name) => ({ name, ...machine }),
  });
  const nodes = (now: () => Snapshot) => ({
    backend: simulated,
    fence: simulated,
    masterHost: simulated.masterHost(() => now().cluster.master_node),
  });
  const stores = memoryStores({ clock });
  await createCluster(settings, { store: stores.config, nodes, resolver, clock, random });
  const cluster = await openCluster({ stores, nodes, resolver, clock, random });
  await populate(cluster);
  const folder = mkdtempSync(join(tmpdir(), "luxi-"));
  const places = { luxiPath: undefined, luxiGroup: undefined };
  const luxi = await listenForLuxi(places, folder, { cluster, log: createLog("silent") });
  return {
    ...{ cluster, luxi, folder },
    async end() {
      await luxi.close(1000);
      await cluster.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function populate({ queue }: Cluster): Promise<void> {
  for (const opcode of population) {
    if (opcode.OP_ID === "OP_TAGS_SET" && opcode.kind === "cluster") {
      for (const rule of rules) await queue.addRule(rule);
    }
    const id = await queue.submit([opcode]);
    const { status, results } = await queue.ended(id);
    if ((status === "error") !== (id === failing))
      throw new Error(JSON.stringify([opcode, results]));
  }
}
