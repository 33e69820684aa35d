/** The cluster that the recorded answers are about: every role of nodes, links, DRBD, reservations. */
import { type ConfigurationContent, initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type {
  ClusterObject,
  DiskObject,
  GroupObject,
  InstanceObject,
  NetworkObject,
  NodeObject,
} from "@ganeti-ts/protocol";

/** `uuidOf("a", 3)` is `a0000000-0000-4000-8000-000000000003`. */
export const uuidOf = (kind: string, n: number): string =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const stamps = (serial_no: number) => ({ serial_no, ctime: 1.7e9, mtime: 1_700_000_000.25 });

const nodeOf = (n: number, name: string, role: Partial<NodeObject>) => ({
  uuid: uuidOf("a", n),
  name,
  primary_ip: `192.0.2.${n}`,
  secondary_ip: `198.51.100.${n}`,
  master_candidate: false,
  offline: false,
  drained: false,
  group: uuidOf("b", 1),
  master_capable: true,
  vm_capable: true,
  ndparams: {},
  powered: true,
  tags: [],
  ...role,
  ...stamps(10 + n),
});

const nodes = [
  nodeOf(1, "node1.example.com", { master_candidate: true, tags: ["rack:1"] }),
  nodeOf(2, "node2.example.com", { master_candidate: true }),
  nodeOf(3, "node3.example.com", { offline: true, powered: false }),
  nodeOf(4, "node4.example.com", { drained: true }),
  nodeOf(5, "node5.example.com", { ndparams: { ssh_port: 2222, cpu_speed: 1.5 } }),
  nodeOf(6, "edge.example.com", { master_candidate: true }),
  nodeOf(7, "edge.example.org", {}),
];

const instanceOf = (n: number, name: string, node: number, more: object) => ({
  uuid: uuidOf("c", n),
  name,
  primary_node: uuidOf("a", node),
  os: "noop+default",
  hypervisor: "kvm",
  hvparams: {},
  beparams: {},
  osparams: {},
  osparams_private: {},
  admin_state: "up",
  admin_state_source: "admin",
  disks_active: true,
  nics: [],
  disks: [],
  tags: [],
  ...more,
  ...stamps(20 + n),
});

const nicOf = (n: number, more: object) => ({
  uuid: uuidOf("d", n),
  mac: `aa:00:00:00:00:0${n}`,
  nicparams: {},
  ...more,
});

const instances = [
  instanceOf(1, "web1.example.com", 1, {
    disks: [uuidOf("e", 1), uuidOf("e", 2)],
    hvparams: { kernel_path: "", acpi: true },
    beparams: { vcpus: 2, maxmem: 512 },
    network_port: 11010,
    nics: [
      nicOf(1, { ip: "203.0.113.10" }),
      nicOf(2, { ip: "203.0.113.9", nicparams: { mode: "bridged", link: "br1" }, name: "back" }),
    ],
  }),
  instanceOf(2, "web2.example.com", 2, {
    admin_state: "down",
    disks_active: false,
    disks: [uuidOf("e", 3), uuidOf("e", 4)],
    nics: [nicOf(3, { nicparams: { mode: "bridged", link: "br0", vlan: "" } })],
  }),
  instanceOf(3, "mail.example.com", 2, {
    disks: [uuidOf("e", 5)],
    tags: ['x\u0001\u007f"\\/'],
    osparams: { size: "5" },
    osparams_private: { password: "do not tell" },
    nics: [nicOf(4, { ip: "203.0.113.100", network: uuidOf("f", 1) })],
  }),
  // Its address is also that of web1, on another link.
  instanceOf(4, "shadow.example.com", 5, {
    nics: [nicOf(5, { ip: "203.0.113.10", nicparams: { mode: "routed", link: "rt" } })],
  }),
  // Its address is also that of web1, on the same link: the later one counts.
  instanceOf(5, "twin.example.com", 5, {
    nics: [nicOf(6, { ip: "203.0.113.9", nicparams: { mode: "bridged", link: "br1" } })],
  }),
  instanceOf(6, "later.example.com", 5, {
    forthcoming: true,
    admin_state: "down",
    disks_active: false,
    disks: [uuidOf("e", 6)],
    nics: [nicOf(7, { ip: "203.0.113.77" })],
  }),
];

const volume = (n: number, size: number, on: readonly number[], more: object = {}) => ({
  uuid: uuidOf("e", n),
  dev_type: "plain",
  logical_id: ["xenvg", `volume${n}`],
  size,
  nodes: on.map((node) => uuidOf("a", node)),
  children: [],
  params: {},
  ...more,
  ...stamps(n),
});

const drbd = (n: number, [a, b]: [number, number], minors: [number, number], index = 0) => {
  const ids = [uuidOf("a", a), uuidOf("a", b), 11000 + n, ...minors, `secret${n}`];
  const children = [volume(100 + n, 1024, [a, b]), volume(200 + n, 128, [a, b])];
  const params = { resync_rate: 61440 };
  const more = { dev_type: "drbd", logical_id: ids, children, params, mode: "rw" };
  return volume(n, 1024, [a, b], { ...more, iv_name: `disk/${index}` });
};

const disks = [
  drbd(1, [1, 2], [0, 0]),
  drbd(2, [2, 1], [1, 1], 1),
  volume(3, 2048, [2], { iv_name: "disk/0", mode: "rw", name: "root" }),
  volume(4, 512, [2], { iv_name: "disk/1", mode: "ro", spindles: 2 }),
  drbd(5, [2, 5], [2, 0]),
  { ...volume(6, 4096, [5], { iv_name: "disk/0", mode: "rw" }), forthcoming: true },
];

const networks = [
  {
    uuid: uuidOf("f", 1),
    name: "net1",
    network: "203.0.113.96/28",
    gateway: "203.0.113.97",
    mac_prefix: "aa:00:01",
    reservations: "0000100000000000",
    ext_reservations: "1100000000000001",
    tags: [],
    ...stamps(31),
  },
];

/** Seeded by nothing: no UUID that is drawn is kept. */
const constant = { fraction: () => 0.5 };

function content(): ConfigurationContent {
  const initial = initialConfiguration({
    clusterName: "cluster.example.com",
    random: constant,
    now: 1_700_000_000,
    nodes: [{ name: "node1.example.com", primary_ip: "192.0.2.1" }],
    hypervisors: ["kvm", "xen-pvm"],
    diskTemplates: ["drbd", "plain", "diskless"],
  });
  const cluster = {
    ...initial.cluster,
    uuid: uuidOf("9", 1),
    master_node: uuidOf("a", 1),
    serial_no: 42,
    master_ip: "192.0.2.100",
    master_netdev: "br0",
    rsahostkeypub: "AAAA",
    mac_prefix: "aa:00:00",
    nicparams: { default: { mode: "bridged", link: "br0", vlan: "" } },
    data_collectors: {
      ...initial.cluster.data_collectors,
      lv: { active: false, interval: 7_000_000 },
    },
    os_hvp: { noop: { kvm: { acpi: false } } },
    osparams: { noop: { size: "1" } },
    osparams_private_cluster: { noop: { token: "do not tell" } },
    candidate_certs: { [uuidOf("a", 1)]: "AA:BB" },
    tags: ["owner:a"],
    ipolicy: { ...initial.cluster.ipolicy, "vcpu-ratio": 0.05, "spindle-ratio": 12_345_678.5 },
  };
  const groups = initial.groups.map((group) => ({
    ...group,
    uuid: uuidOf("b", 1),
    networks: { [uuidOf("f", 1)]: { mode: "bridged", link: "br9", vlan: "" } },
  }));
  return {
    ...initial,
    serial: 77,
    cluster: cluster as unknown as ClusterObject,
    nodes: nodes as unknown as NodeObject[],
    groups: groups as unknown as GroupObject[],
    instances: instances as unknown as InstanceObject[],
    disks: disks as unknown as DiskObject[],
    networks: networks as unknown as NetworkObject[],
  };
}

export const clusterContent = content();
export const aSnapshot = (): Snapshot => Snapshot.of(clusterContent);
