/** Present figures of nodes, queried for a placement. */
import { filledNdparam, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type {
  HypervisorOnNode,
  NodeBackend,
  NodeCaller,
  NodeInformation,
  RunningInstance,
  StorageKey,
} from "@ganeti-ts/node-calls";
import {
  type ClusterObject,
  type DiskTemplate,
  type NodeObject,
  type NodeUuid,
  type Parameters,
  usesLvm,
  usesNodeSpace,
} from "@ganeti-ts/protocol";

/** Figures of one node. Sizes in MiB. */
export interface LiveNode {
  readonly memoryTotalMib: number;
  readonly memoryNodeMib: number;
  /** As reported by the hypervisor. */
  readonly memoryFreeMib: number;
  readonly cpuTotal: number;
  readonly cpuNode: number;
  /** Size of the storage of the disk template; 0 if nodes cannot report it. */
  readonly diskTotalMib: number;
  readonly diskFreeMib: number;
  readonly spindleTotal: number;
  readonly spindleFree: number;
  /** Memory (MiB) of each running instance. */
  readonly runningMib: ReadonlyMap<string, number>;
}

export interface LiveQuestion {
  /** Template whose storage is queried; default: the cluster's default template. */
  readonly diskTemplate?: DiskTemplate | undefined;
  /** Default: the cluster's default hypervisor. */
  readonly hypervisor?: string | undefined;
}

/** Nodes that have figures: online and capable of instances. */
export const hasFigures = ({ offline, vm_capable }: NodeObject): boolean => !offline && vm_capable;

/** Arguments of the calls to all nodes, for one kind of question. */
export interface LiveArguments {
  /** The storage for disks of the template; nodes report the space of these only. */
  readonly storage: readonly StorageKey[];
  /** The same for nodes with exclusive storage. */
  readonly exclusiveStorage: readonly StorageKey[];
  readonly hypervisors: readonly HypervisorOnNode[];
  /** All enabled hypervisors, because the instances of each take memory. */
  readonly enabled: readonly HypervisorOnNode[];
}

/** Arguments for nodes of this cluster. */
export function liveArguments(
  { cluster }: Snapshot,
  { diskTemplate, hypervisor }: LiveQuestion = {},
): LiveArguments {
  const specification = (name: string) => ({
    name,
    hvparams: withoutNothing(cluster.hvparams[name]),
  });
  const template = diskTemplate ?? cluster.enabled_disk_templates[0];
  return {
    storage: storageFor(cluster, template, false),
    exclusiveStorage: storageFor(cluster, template, true),
    hypervisors: [specification(hypervisor ?? cluster.enabled_hypervisors[0] ?? "")],
    enabled: cluster.enabled_hypervisors.map(specification),
  };
}

/** Queries these nodes, concurrently; two calls each. @throws ExecError if one does not answer */
export async function liveNodes(
  now: Snapshot,
  asked: readonly NodeObject[],
  nodes: NodeBackend,
  caller: NodeCaller,
  question: LiveQuestion = {},
): Promise<Map<NodeUuid, LiveNode>> {
  const asking = { now, nodes, caller, args: liveArguments(now, question) };
  const answers = asked.map(
    async (node) => [node.uuid, await liveNode(asking, node, undefined)] as const,
  );
  return new Map(await Promise.all(answers));
}

interface Asking {
  readonly now: Snapshot;
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  readonly args: LiveArguments;
}

/** Queries one node; returns `known` itself if its figures are unchanged. @throws ExecError if it does not answer */
export async function liveNode(
  { now, nodes, caller, args }: Asking,
  node: NodeObject,
  known: LiveNode | undefined,
): Promise<LiveNode> {
  const isExclusive = filledNdparam(now, node, "exclusive_storage");
  const storage = isExclusive ? args.exclusiveStorage : args.storage;
  const asked = { storage, hypervisors: args.hypervisors };
  const [information, running] = await Promise.all([
    nodes.call(node.uuid, "node_info", asked, caller),
    nodes.call(node.uuid, "all_instances_info", { hypervisors: args.enabled }, caller),
  ]);
  if (!information.ok) {
    throw new ExecError(`Can't get data for node ${node.name}: ${information.message}`);
  }
  if (!running.ok) {
    throw new ExecError(`Can't get node instance info from node ${node.name}: ${running.message}`);
  }
  return figuresFrom(node, information.value, running.value, known);
}

const withoutNothing = (parameters: Parameters | undefined): Parameters => parameters ?? {};

function storageFor(
  cluster: ClusterObject,
  template: DiskTemplate | undefined,
  exclusive: boolean,
): readonly StorageKey[] {
  if (!usesNodeSpace(template)) return [];
  if (!usesLvm(template)) return [{ type: "file", key: cluster.file_storage_dir }];
  const key = cluster.volume_group_name;
  if (key === undefined) return [];
  const group = { type: "lvm-vg", key, exclusive };
  return exclusive ? [group, { type: "lvm-pv", key, exclusive }] : [group];
}

function figuresFrom(
  { name }: NodeObject,
  { storage, hypervisors }: NodeInformation,
  running: Running,
  known: LiveNode | undefined,
): LiveNode {
  const [figures] = hypervisors ?? [];
  if (figures === undefined) {
    throw new ExecError(`Node '${name}' didn't return attribute 'memory_free'`);
  }
  const spaceOf = (...types: string[]) => storage?.find(({ type }) => types.includes(type));
  const space = spaceOf("lvm-vg", "file");
  const spindles = spaceOf("lvm-pv");
  const isKnown = known !== undefined && isSameMemory(known.runningMib, running);
  const live = {
    memoryTotalMib: figures.memoryTotalMib,
    memoryNodeMib: figures.memoryNodeMib,
    memoryFreeMib: figures.memoryFreeMib,
    cpuTotal: figures.cpuTotal,
    cpuNode: figures.cpuNode,
    diskTotalMib: space?.size ?? 0,
    diskFreeMib: space?.free ?? 0,
    spindleTotal: spindles?.size ?? 0,
    spindleFree: spindles?.free ?? 0,
    runningMib: isKnown ? known.runningMib : memoryOf(running),
  };
  return known !== undefined && isSame(known, live) ? known : live;
}

type Running = { readonly [name: string]: RunningInstance };

const memoryOf = (running: Running): LiveNode["runningMib"] =>
  new Map(Object.entries(running).map(([name, { memoryMib }]) => [name, memoryMib]));

/** Whether the same instances run with the same memory, as most nodes report. */
function isSameMemory(known: LiveNode["runningMib"], running: Running): boolean {
  let count = 0;
  for (const name of Object.keys(running)) {
    if (known.get(name) !== running[name]?.memoryMib) return false;
    count++;
  }
  return count === known.size;
}

/** Whether all figures are equal; running instances only if they are the same object. */
export const isSame = (a: LiveNode, b: LiveNode): boolean =>
  a === b ||
  (a.memoryFreeMib === b.memoryFreeMib &&
    a.diskFreeMib === b.diskFreeMib &&
    a.runningMib === b.runningMib &&
    a.memoryTotalMib === b.memoryTotalMib &&
    a.memoryNodeMib === b.memoryNodeMib &&
    a.cpuTotal === b.cpuTotal &&
    a.cpuNode === b.cpuNode &&
    a.diskTotalMib === b.diskTotalMib &&
    a.spindleTotal === b.spindleTotal &&
    a.spindleFree === b.spindleFree);
