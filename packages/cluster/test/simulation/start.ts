// The cluster at the start of a run: three empty nodes, or many nodes of which most have little room left.
import {
  type ConfigurationContent,
  createConfiguration,
  initialConfiguration,
} from "@ganeti-ts/config";
import type { Clock, JsonObject } from "@ganeti-ts/protocol";
import {
  briskDurations,
  keptStates,
  noDurations,
  SimulatedNodes,
} from "@ganeti-ts/simulated-nodes";
import { fillDevices } from "@ganeti-ts/simulated-nodes/at-rest";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { Dice, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { memoryStores, openCluster } from "../../src/index.js";
import { resolver } from "./server.js";
import { deviceOf, everything, names, type Scope, templates } from "./workload.js";

/** Number of nodes of a small cluster, all of which are empty. */
export const fewNodes = 3;

/** Small enough that not everything fits. */
const machine = {
  memoryTotalMib: 6144,
  memoryNodeMib: 1024,
  volumeGroups: { xenvg: { "/dev/sda": 14_336 } },
  devices: Object.fromEntries(names.map((name) => [deviceOf(name), 1024])),
};

export interface Start {
  readonly content: ConfigurationContent;
  readonly nodes: SimulatedNodes;
  /** Names of the nodes that most operations and faults affect; with many nodes, those with more room. */
  readonly busy: readonly string[];
}

export async function startOf(nodeCount: number, dice: Dice, clock: VirtualClock): Promise<Start> {
  const start =
    nodeCount <= fewNodes
      ? await emptyNodes(nodeCount, dice, clock)
      : await grownNodes(nodeCount, dice, clock);
  fillDevices(start.nodes, names.map(deviceOf));
  return start;
}

async function grownNodes(nodeCount: number, dice: Dice, clock: Clock): Promise<Start> {
  const { content, states } = await grownCluster(nodeCount);
  const nodes = await SimulatedNodes.open({
    clock,
    durations: briskDurations,
    hosts: [],
    begin: keptStates(states),
  });
  await introduce(nodes, content);
  const count = Math.min(nodeCount, dice.between(4, 8));
  // The master node and other candidates in some of the runs.
  const first = dice.chance(0.3) ? 0 : dice.between(0, nodeCount - count);
  const number = ({ name }: { readonly name: string }) => Number(/\d+/.exec(name)?.[0]);
  const inOrder = content.nodes.toSorted((a, b) => number(a) - number(b));
  const busy = inOrder.slice(first, first + count);
  for (const { uuid } of busy) await nodes.emptyDisk(uuid, "xenvg");
  return { content, nodes, busy: busy.map(({ name }) => name) };
}

/** Mostly the busy nodes, and the instances on them. */
export function scopeOf({ busy, content }: Start, dice: Dice): Scope {
  if (content.nodes.length === busy.length) return everything(dice, busy);
  const all = content.nodes.map(({ name }) => name);
  const some = (nodes: readonly string[]) => firstInstance(dice.pick(nodes));
  return {
    instance: () => (dice.chance(0.6) ? dice.pick(names) : some(dice.chance(0.7) ? busy : all)),
    node: () => dice.pick(dice.chance(0.8) ? busy : all),
  };
}

/** A cluster of empty nodes; in some runs with two more nodes in a second group. */
async function emptyNodes(few: number, random: Dice, clock: VirtualClock): Promise<Start> {
  const spare = few === fewNodes && random.chance(0.2) ? 2 : 0;
  const content = contentOf(few + spare, random, clock);
  const sorted = content.nodes.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));
  const busy = sorted.map(({ name }) => name);
  const nodes = await SimulatedNodes.open({
    clock,
    durations: briskDurations,
    // Guests that touch little of their memory, so that nodes report more free memory than is unallocated.
    hosts: busy.map((name, at) => ({
      ...{ name, ...machine },
      touchedShare: at === 0 ? 0.2 : random.pick([0.5, 1]),
    })),
  });
  await introduce(nodes, content);
  const start = { nodes, content };
  if (spare > 0)
    start.content = await carriedOut(start, { clock, random }, [spareGroup(busy, spare)]);
  if (few > 1 && random.chance(0.2)) start.content = await withMixedInstance(start, clock, random);
  return { ...start, busy };
}

const spareGroup = (nodes: readonly string[], count: number): readonly JsonObject[] => [
  { OP_ID: "OP_GROUP_ADD", group_name: "spare" },
  { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name: "spare", nodes: nodes.slice(-count), force: true },
];

/** Adds a stopped instance of the template `mixed`, which only configurations of older versions contain; no opcode creates one. */
async function withMixedInstance(
  start: Made,
  clock: VirtualClock,
  random: Dice,
): Promise<ConfigurationContent> {
  const { nodes, groups } = start.content;
  const near = nodes.filter(({ group }) => group === groups[0]?.uuid).map(({ name }) => name);
  const [pnode = "", snode] = near;
  const [mixed = "", other = ""] = names;
  const [mirrored, plain] = random.chance(0.5) ? [mixed, other] : [other, mixed];
  const made = await carriedOut(start, { clock, random }, [
    [{ ...creation(mirrored, pnode, snode), start: false }],
    [{ ...creation(plain, pnode), start: false }],
  ]);
  const disks = [mixed, other].flatMap(
    (name) => made.instances.find((one) => one.name === name)?.disks ?? [],
  );
  return {
    ...made,
    instances: made.instances.flatMap((one) => (one.name === mixed ? { ...one, disks } : [])),
    disks: made.disks.map((disk) => ({ ...disk, iv_name: `disk/${disks.indexOf(disk.uuid)}` })),
  };
}

type Made = Pick<Start, "nodes" | "content">;

/** Carries out jobs on a cluster without faults, which changes its nodes; returns the configuration afterwards. */
async function carriedOut(
  { nodes, content }: Made,
  { clock, random }: { readonly clock: VirtualClock; readonly random: Dice },
  jobs: readonly (readonly JsonObject[])[],
): Promise<ConfigurationContent> {
  const stores = memoryStores({ clock });
  await createConfiguration(stores.config, content);
  const { queue, snapshot, close } = await openCluster({
    ...{ stores, resolver, clock, random },
    nodes: (now) => ({
      ...{ backend: nodes, fence: nodes },
      masterHost: nodes.masterHost(() => now().cluster.master_node),
    }),
  });
  let open = jobs.length;
  const done = jobs.map(async (opcodes) => {
    const { status } = await queue.ended(await queue.submit(opcodes));
    if (status === "success") open--;
  });
  void Promise.all(done);
  for (let passes = 0; open > 0; passes++) {
    if (passes === 3600) throw new Error(`${open} jobs did not succeed within an hour`);
    await clock.pass(1000);
  }
  await Promise.all([close(), clock.pass(1000)]);
  return snapshot().content();
}

const contentOf = (nodeCount: number, random: Dice, clock: Clock): ConfigurationContent =>
  initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at + 1}.example.com`,
      primary_ip: nodeCount < 255 ? `192.0.2.${at + 1}` : `10.0.${at >> 8}.${at & 255}`,
    })),
    hypervisors: ["kvm"],
    diskTemplates: [...templates, "diskless"],
    cluster: {
      default_iallocator_params: { "static-kvm-node-memory": `${machine.memoryNodeMib}` },
    },
    random,
    now: clock.wallMicros() / 1e6,
  });

const firstInstance = (node: string): string => node.replace("node", "first");

interface GrownCluster {
  readonly content: ConfigurationContent;
  /** Saved states of the machines, by host name. */
  readonly states: ReadonlyMap<string, string>;
}

const grown = new Map<number, Promise<GrownCluster>>();

/** The grown cluster, shared by all runs of a process, because its creation takes seconds. */
function grownCluster(nodeCount: number): Promise<GrownCluster> {
  const known = grown.get(nodeCount) ?? grow(nodeCount);
  grown.set(nodeCount, known);
  return known;
}

/** Free disk (MiB) of nodes with little room: enough to empty any single node, as N+1 demands. */
const littleRoomMib = 3000;

/** One instance on each node, most of them mirrored on the next one; then all nodes have little room. */
async function grow(nodeCount: number): Promise<GrownCluster> {
  const clock = new VirtualClock();
  const random = new Dice(nodeCount);
  const content = contentOf(nodeCount, random, clock);
  const nodes = await SimulatedNodes.open({
    clock,
    durations: noDurations,
    hosts: content.nodes.map(({ name }) => ({ name, ...machine })),
  });
  await introduce(nodes, content);
  const all = content.nodes.map(({ name }) => name);
  const jobs = all.map((name, at) => {
    const snode = at % 4 === 0 ? undefined : all[(at + 1) % nodeCount];
    return [{ ...creation(firstInstance(name), name, snode), start: at % 5 !== 0 }];
  });
  const grown = await carriedOut({ nodes, content }, { clock, random }, jobs);
  const states = new Map<string, string>();
  for (const { uuid, name } of content.nodes) {
    await nodes.fillDisk(uuid, "xenvg", littleRoomMib);
    states.set(name, JSON.stringify(nodes.stateOf(uuid)));
  }
  return { content: grown, states };
}

/** A plain instance; a mirrored one with a secondary node. */
const creation = (instance_name: string, pnode: string, snode?: string): JsonObject =>
  creationOf(instance_name, {
    ...{ ip_check: false, name_check: false, wait_for_sync: false },
    beparams: { memory: 512 },
    pnode,
    ...(snode === undefined ? {} : { disk_template: "drbd", snode }),
  });

async function introduce(nodes: SimulatedNodes, content: ConfigurationContent): Promise<void> {
  for (const { uuid, name, primary_ip: ip } of content.nodes) {
    await nodes.introduce({ uuid, name, primaryIp: ip, secondaryIp: ip });
  }
}
