/** Small clusters for the tests of this package. */
import {
  DiskUuid,
  InstanceUuid,
  type NodeObject,
  type NodeUuid,
  type Random,
  type RealDisk,
  type RealInstance,
} from "@ganeti-ts/protocol";
import {
  type ConfigChange,
  type ConfigStore,
  Configuration,
  type ConfigurationContent,
  createConfiguration,
  createMemoryStore,
  type InitialCluster,
  initialConfiguration,
  type ObjectType,
  randomUuid,
  type Snapshot,
} from "../src/index.js";

/** Seeded: the same calls give the same numbers. */
export function seeded(seed = 1): Random {
  let state = seed;
  return {
    fraction() {
      // mulberry32
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}

/** Three nodes in group `default`. */
export const aCluster = (
  more: Partial<InitialCluster> & { readonly random?: Random } = {},
): ConfigurationContent =>
  initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: [1, 2, 3].map((n) => ({ name: `node${n}.example.com`, primary_ip: `192.0.2.${n}` })),
    cluster: { master_ip: "192.0.2.100" },
    random: seeded(),
    now: 1_000_000,
    ...more,
  });

/** Ports whose clock goes on by one second with every look. */
export function ports(seed = 2) {
  let now = 1_000_000;
  return { random: seeded(seed), clock: { wallMicros: () => ++now * 1_000_000 } };
}

export async function opened(
  content: ConfigurationContent = aCluster(),
  store: ConfigStore = createMemoryStore(),
): Promise<Configuration> {
  await createConfiguration(store, content);
  return Configuration.open(store, ports());
}

export const nodeNamed = (now: Snapshot, n: number): NodeObject =>
  now.expectNode(`node${n}.example.com`);

export const anInstance = (
  random: Random,
  name: string,
  primary_node: NodeUuid,
  more: Partial<RealInstance> = {},
): RealInstance => ({
  name,
  primary_node,
  os: "noop",
  hypervisor: "kvm",
  admin_state: "down",
  hvparams: {},
  beparams: {},
  osparams: {},
  osparams_private: {},
  admin_state_source: "admin",
  disks_active: false,
  disks: [],
  nics: [],
  tags: [],
  uuid: InstanceUuid.parse(randomUuid(random)),
  ...more,
});

export const aPlainDisk = (
  random: Random,
  node: NodeUuid,
  more: Partial<RealDisk> = {},
): RealDisk => {
  const uuid = randomUuid(random);
  return {
    uuid: DiskUuid.parse(uuid),
    dev_type: "plain",
    logical_id: ["xenvg", `${uuid}.disk0`],
    size: 1024,
    nodes: [node],
    children: [],
    iv_name: "disk/0",
    mode: "rw",
    params: {},
    ...more,
  };
};

/** With data and metadata on both nodes. */
export const aDrbdDisk = (
  random: Random,
  [nodeA, nodeB]: readonly [NodeUuid, NodeUuid],
  { port, minors }: { readonly port: number; readonly minors: readonly [number, number] },
  more: Partial<RealDisk> = {},
): RealDisk => {
  const nodes = [nodeA, nodeB];
  const volume = randomUuid(random);
  const child = (part: string, size: number) => ({
    ...aPlainDisk(random, nodeA, { nodes, size, logical_id: ["xenvg", `${volume}.${part}`] }),
    children: [],
  });
  return aPlainDisk(random, nodeA, {
    dev_type: "drbd",
    nodes,
    children: [child("disk0_data", 1024), child("disk0_meta", 128)],
    logical_id: [nodeA, nodeB, port, minors[0], minors[1], `secret${volume}`],
    ...more,
  });
};

export const put = (type: ObjectType, object: object): ConfigChange =>
  ({ kind: "put", type, object }) as ConfigChange;

/** Makes changes that do not depend on the snapshot. */
export const apply = async (configuration: Configuration, ...changes: ConfigChange[]) =>
  (await configuration.change(() => ({ changes, value: undefined }))).snapshot;
