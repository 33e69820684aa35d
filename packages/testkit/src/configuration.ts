/** A small cluster with all cases that query fields distinguish, and nodes with given answers. */
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import { answered, failed, type NodeBackend, type NodeCallArguments } from "@ganeti-ts/node-calls";
import type {
  ClaimOf,
  ClaimUuid,
  DiskObject,
  DiskUuid,
  InstanceObject,
  InstanceUuid,
  JobId,
  NetworkObject,
  NetworkUuid,
  NodeUuid,
} from "@ganeti-ts/protocol";

export { someChanges } from "./configuration-changes.js";
export { creationOf } from "./opcodes.js";

let drawn = 0;
/** Deterministic, so that all clusters are equal. */
const random = { fraction: () => (drawn++ * 0.618_033_988_75) % 1 };

export const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export const instanceUuid = (number: number) => uuidOf(100 + number) as InstanceUuid;

const networkUuid = uuidOf(9) as NetworkUuid;

/** Connection of the first nodes' group to the network. Its NICs have copies, as creations make them. */
const connection = { mode: "bridged", link: "br1", vlan: "" } as const;

const network: NetworkObject = {
  uuid: networkUuid,
  name: "net1",
  network: "10.0.0.0/28",
  gateway: "10.0.0.1",
  mac_prefix: "aa:00:01",
  reservations: `0001${"0".repeat(12)}`,
  ext_reservations: `11${"0".repeat(13)}1`,
  tags: [],
  serial_no: 1,
  ctime: 1.5,
  mtime: 2.5,
};

/** node1 (master), node2 in `default`; node3 (offline) in `other`. */
export function aSnapshot(): Snapshot {
  drawn = 0;
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    groups: [
      { name: "default", networks: { [networkUuid]: connection } },
      { name: "other", ndparams: { spindle_count: 3 } },
    ],
    nodes: [
      { name: "node1.example.com", primary_ip: "192.0.2.1" },
      { name: "node2.example.com", primary_ip: "192.0.2.2" },
      { name: "node10.example.com", primary_ip: "192.0.2.3", group: "other", offline: true },
    ],
    random,
    now: 1000,
  });
  const [first, second, third] = content.nodes.map(({ uuid }) => uuid);
  if (first === undefined || second === undefined || third === undefined) throw new Error("nodes");
  const disks = [mirrorOf([first, second]), volumeOn(first)] as const;
  const instances = [mirrored(first, disks[0]), stopped(first, disks[1]), diskless(third), unnamed];
  const claims = [creation(first)];
  return Snapshot.of({ ...content, instances, disks, networks: [network], claims });
}

const stamps = { serial_no: 1, ctime: 1000.25, mtime: 1000.25 };

const base = {
  forthcoming: false,
  os: "debian+x",
  hypervisor: "kvm",
  hvparams: {},
  beparams: {},
  osparams: {},
  osparams_private: {},
  admin_state_source: "admin",
  disks_active: true,
  tags: [],
  ...stamps,
} as const;

const mirrorOf = ([first, second]: readonly [NodeUuid, NodeUuid]): DiskObject => ({
  uuid: uuidOf(201) as DiskUuid,
  dev_type: "drbd",
  size: 1024,
  iv_name: "disk/0",
  mode: "rw",
  children: [],
  ...stamps,
  logical_id: [first, second, 11000, 0, 0, "secret"],
  nodes: [first, second],
});

const volumeOn = (node: NodeUuid): DiskObject => ({
  uuid: uuidOf(202) as DiskUuid,
  dev_type: "plain",
  size: 512,
  iv_name: "disk/0",
  mode: "rw",
  children: [],
  ...stamps,
  logical_id: ["xenvg", "lv"],
  nodes: [node],
  name: "root",
});

const mirrored = (node: NodeUuid, disk: DiskObject): InstanceObject => ({
  ...base,
  uuid: instanceUuid(1),
  name: "inst1.example.com",
  primary_node: node,
  admin_state: "up",
  disks: [disk.uuid],
  beparams: { maxmem: 512 },
  network_port: 11001,
  tags: ["web"],
  nics: [
    {
      uuid: uuidOf(301),
      mac: "aa:00:01:00:00:01",
      ip: "10.0.0.3",
      network: networkUuid,
      nicparams: connection,
    },
    {
      uuid: uuidOf(302),
      mac: "aa:00:00:00:00:02",
      nicparams: { mode: "openvswitch", link: "sw", vlan: ".7" },
    },
  ],
});

const stopped = (node: NodeUuid, disk: DiskObject): InstanceObject => ({
  ...base,
  uuid: instanceUuid(2),
  name: "inst2.example.com",
  primary_node: node,
  nics: [],
  admin_state: "down",
  disks: [disk.uuid],
  hvparams: { kernel_path: "/boot/v" },
});

const diskless = (node: NodeUuid): InstanceObject => ({
  ...base,
  uuid: instanceUuid(3),
  name: "inst10.example.com",
  primary_node: node,
  nics: [],
  admin_state: "up",
  disks: [],
});

const none = { disks: [], nics: [], tags: [] } as const;

const unnamed: InstanceObject = { uuid: instanceUuid(4), forthcoming: true, ...none, ...stamps };

/** Claim of a job that creates an instance. */
const creation = (node: NodeUuid): ClaimOf<"creation"> => {
  const uuid = instanceUuid(5);
  return {
    ...({ kind: "creation", uuid: uuid as string as ClaimUuid, job: 7 as JobId } as const),
    ...stamps,
    ...{
      instance: { uuid, name: "new.example.com", forthcoming: true, primary_node: node, ...none },
    },
    disks: [],
  };
};

type ConsoleArguments = NodeCallArguments<"instance_console_info">;

/** Nodes that report these running instances; a node that is not listed does not answer. */
export function someNodes(running: Readonly<Record<string, readonly string[]>>) {
  const calls: string[] = [];
  const nodes: NodeBackend = {
    introduce: async () => undefined,
    async call(node, name, args) {
      calls.push(`${name} ${node}`);
      const here = running[node];
      if (here === undefined) return failed("Connection refused");
      switch (name) {
        case "node_info":
          return answered({
            bootId: "boot",
            storage: [{ type: "lvm-vg", name: "xenvg", size: 10_000, free: 8000 }],
            hypervisors: [
              {
                memoryTotalMib: 4096,
                memoryFreeMib: 3000,
                memoryNodeMib: 512,
                cpuTotal: 8,
                cpuNode: 1,
                cpuNodes: 2,
                cpuSockets: 1,
              },
            ],
          }) as never;
        case "all_instances_info":
          return answered(
            Object.fromEntries(
              here.map((one) => [
                one,
                { hypervisor: "kvm", memoryMib: 512, vcpus: 1, state: "running", cpuSeconds: 1 },
              ]),
            ),
          ) as never;
        case "export_list":
          return answered(here) as never;
        case "instance_console_info":
          return answered(
            Object.fromEntries(
              Object.keys((args as ConsoleArguments).instances).map((instance) => [
                instance,
                { instance: "x", kind: "msg", message: "none" },
              ]),
            ),
          ) as never;
        case "get_watcher_pause":
          return answered(null) as never;
        default:
          return failed(`unexpected ${name}`);
      }
    },
  };
  return { nodes, calls };
}
