// A second, slow and simple model of a cluster: one immutable record per node. It follows Ganeti's
// rules step by step and shares no code with `src`, so that each checks the other.
import type { ClusterData, InstanceData, InstancePolicy } from "@ganeti-ts/protocol";

export interface PlainNode {
  readonly group: number;
  readonly policy: InstancePolicy;
  readonly offline: boolean;
  readonly exclusive: boolean;
  readonly memoryTotal: number;
  readonly diskTotal: number;
  readonly cpuTotal: number;
  readonly cpuSpeed: number;
  readonly spindleTotal: number;
  readonly locations: readonly string[];
  readonly migration: readonly string[];
  readonly receives: readonly string[];
  readonly primaries: readonly number[];
  readonly secondaries: readonly number[];
  readonly memory: number;
  readonly memoryPlanned: number;
  readonly disk: number;
  readonly diskPlanned: number;
  readonly spindles: number;
  readonly spindlesPlanned: number;
  readonly vcpus: number;
  readonly vcpusPlanned: number;
  readonly use: number;
  readonly usePlanned: number;
  /** CPU, memory, disk, network. */
  readonly load: readonly number[];
  readonly peers: ReadonlyMap<number, number>;
  readonly reserved: number;
  readonly failsN1: boolean;
  /** With repeats: so are the pairs. */
  readonly tags: readonly string[];
  readonly pairs: readonly string[];
  readonly locationScore: number;
}

export interface PlainInstance {
  readonly index: number;
  readonly data: InstanceData;
  readonly memory: number;
  readonly disk: number;
  readonly vcpus: number;
  readonly use: number;
  readonly spindles: number | undefined;
  readonly local: boolean;
  readonly forthcoming: boolean;
  readonly usesMemory: boolean;
  readonly reserves: boolean;
  readonly counts: boolean;
  readonly tags: readonly string[];
  readonly desired: readonly string[];
  readonly primary: number;
  readonly secondary: number;
  readonly locationScore: number;
}

export interface State {
  readonly nodes: readonly PlainNode[];
  readonly instances: readonly PlainInstance[];
}

export const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const unique = (tags: readonly string[]) => [...new Set(tags)];

function tagsAfter(clusterTags: readonly string[], prefix: string): string[] {
  return clusterTags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length));
}

const startingWith = (tags: readonly string[], prefixes: readonly string[]) =>
  tags.filter((tag) => prefixes.some((prefix) => tag.startsWith(prefix)));

export function plainInstance(
  data: InstanceData,
  index: number,
  clusterTags: readonly string[],
): PlainInstance {
  const known = data.disks.every(({ spindles }) => spindles !== undefined);
  return {
    index,
    data,
    memory: data.memoryMib,
    disk: data.diskMib,
    vcpus: data.vcpus,
    use: data.spindleUse,
    spindles: known ? sum(data.disks.map(({ spindles }) => spindles as number)) : undefined,
    local: data.diskTemplate === "drbd" || data.diskTemplate === "plain",
    forthcoming: data.forthcoming,
    usesMemory: !data.forthcoming && data.status === "running",
    reserves: data.status !== "ADMIN_offline",
    counts: data.status !== "ADMIN_offline",
    tags: startingWith(data.tags, tagsAfter(clusterTags, "htools:iextags:")),
    desired: unique(startingWith(data.tags, tagsAfter(clusterTags, "htools:desiredlocation:"))),
    primary: data.primary,
    secondary: data.secondary,
    locationScore: 0,
  };
}

export const shared = (a: PlainNode, b: PlainNode) =>
  a.locations.filter((tag) => b.locations.includes(tag)).length;

/** Loads a cluster of Xen or KVM nodes whose own memory is what they report. */
export function plainState(data: ClusterData): State {
  const bare = data.nodes.map((_, node) => emptyNode(data, node));
  const instances = data.instances.map((one, index): PlainInstance => {
    const instance = plainInstance(one, index, data.tags);
    if (one.secondary < 0) return instance;
    const locationScore = shared(bare[one.primary] as PlainNode, bare[one.secondary] as PlainNode);
    return { ...instance, locationScore };
  });
  return { nodes: bare.map((node, index) => loaded(data, node, index, instances)), instances };
}

function emptyNode(data: ClusterData, index: number): PlainNode {
  const node = data.nodes[index] as ClusterData["nodes"][number];
  const prefixes = (kind: string) => tagsAfter(data.tags, kind).map((prefix) => `${prefix}:`);
  const migration = unique(startingWith(node.tags, prefixes("htools:migration:")));
  const allowed = tagsAfter(data.tags, "htools:allowmigration:").map((rule) => rule.split("::"));
  const received = allowed.filter((rule) => rule.length === 2 && migration.includes(rule[1] ?? ""));
  return {
    group: node.groupIndex,
    policy: (data.groups[node.groupIndex] as ClusterData["groups"][number]).policy,
    offline: node.offline,
    exclusive: node.exclusiveStorage,
    memoryTotal: node.memoryTotalMib,
    diskTotal: node.diskTotalMib,
    cpuTotal: node.cpuTotal,
    cpuSpeed: node.cpuSpeed,
    spindleTotal: node.spindleTotal,
    locations: unique(startingWith(node.tags, prefixes("htools:nlocation:"))),
    migration,
    receives: [...migration, ...received.map(([from]) => from as string)],
    primaries: [],
    secondaries: [],
    memory: 0,
    memoryPlanned: node.memoryFreeMib,
    disk: node.diskFreeMib,
    diskPlanned: node.diskFreeMib,
    spindles: node.spindleFree,
    spindlesPlanned: node.spindleFree,
    vcpus: node.cpuNode,
    vcpusPlanned: node.cpuNode,
    use: 0,
    usePlanned: 0,
    load: [0, 0, 0, 0],
    peers: new Map(),
    reserved: 0,
    failsN1: false,
    tags: [],
    pairs: [],
    locationScore: 0,
  };
}

function loaded(
  data: ClusterData,
  bare: PlainNode,
  index: number,
  instances: readonly PlainInstance[],
): PlainNode {
  const { memoryTotalMib, memoryNodeMib, memoryFreeMib } = data.nodes[
    index
  ] as ClusterData["nodes"][number];
  const here = instances.filter(({ primary }) => primary === index);
  const mirrored = instances.filter(({ secondary }) => secondary === index);
  const real = here.filter(({ forthcoming }) => !forthcoming);
  const realMirrored = mirrored.filter(({ forthcoming }) => !forthcoming);
  const planned = instances.filter(
    (one) => one.forthcoming && (one.primary === index || one.secondary === index),
  );
  const used = sum(real.filter(({ usesMemory }) => usesMemory).map(({ memory }) => memory));
  const missing = Math.trunc(memoryTotalMib) - memoryNodeMib - used - memoryFreeMib;
  const vcpus = (some: readonly PlainInstance[]) =>
    sum(some.map((one) => (one.counts ? one.vcpus : 0)));
  const use = (some: readonly PlainInstance[]) =>
    bare.exclusive ? 0 : sum(some.map((one) => (one.local ? one.use : 0)));
  const peers = new Map<number, number>();
  for (const one of realMirrored) {
    peers.set(one.primary, (peers.get(one.primary) ?? 0) + (one.reserves ? one.memory : 0));
  }
  const reserved = Math.max(0, ...peers.values());
  return {
    ...bare,
    primaries: real.map((one) => one.index).reverse(),
    secondaries: realMirrored.map((one) => one.index).reverse(),
    memory: Math.trunc(memoryTotalMib) - memoryNodeMib - used - Math.max(0, missing),
    memoryPlanned:
      memoryFreeMib - sum(here.filter((one) => !one.usesMemory).map(({ memory }) => memory)),
    diskPlanned: bare.disk - sum(planned.map((one) => (one.local ? one.disk : 0))),
    spindlesPlanned: planned.reduce((left, one) => {
      if (!bare.exclusive) return left;
      return one.spindles === undefined ? -1 : left - one.spindles;
    }, bare.spindlesPlanned),
    vcpus: bare.vcpus + vcpus(real),
    vcpusPlanned: bare.vcpus + vcpus(here),
    use: use([...real, ...realMirrored]),
    usePlanned: use([...here, ...mirrored]),
    load: [real.length, real.length, real.length + realMirrored.length, real.length],
    peers,
    reserved,
    failsN1: memoryFreeMib < reserved,
    tags: here.flatMap(({ tags }) => tags),
    pairs: real.flatMap(({ tags }) => pairsOf(bare, tags)),
    locationScore: sum(real.map((one) => one.locationScore + missed(bare, one))),
  };
}

export const pairsOf = (node: PlainNode, tags: readonly string[]) =>
  node.locations.flatMap((location) => tags.map((tag) => JSON.stringify([location, tag])));

export const missed = (node: PlainNode, { desired }: PlainInstance) =>
  desired.filter((tag) => !node.locations.includes(tag)).length;
