/** Present figures of nodes, queried for a placement. */
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type {
  NodeBackend,
  NodeCaller,
  NodeInformation,
  RunningInstance,
  StorageKey,
} from "@ganeti-ts/node-calls";
import type { DiskTemplate, NodeObject, NodeUuid, Parameters } from "@ganeti-ts/protocol";

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

/** Queries these nodes, concurrently; two calls each. @throws ExecError if one does not answer */
export async function liveNodes(
  now: Snapshot,
  asked: readonly NodeObject[],
  nodes: NodeBackend,
  caller: NodeCaller,
  question: LiveQuestion = {},
): Promise<Map<NodeUuid, LiveNode>> {
  const { cluster } = now;
  const template = question.diskTemplate ?? cluster.enabled_disk_templates[0];
  const hypervisor = question.hypervisor ?? cluster.enabled_hypervisors[0] ?? "";
  const specification = (name: string) => ({
    name,
    hvparams: withoutNothing(cluster.hvparams[name]),
  });
  const hypervisors = [specification(hypervisor)];
  const enabled = cluster.enabled_hypervisors.map(specification);
  const answers = asked.map(async (node): Promise<[NodeUuid, LiveNode]> => {
    const storage = storageFor(now, node, template);
    const [information, running] = await Promise.all([
      nodes.call(node.uuid, "node_info", { storage, hypervisors }, caller),
      nodes.call(node.uuid, "all_instances_info", { hypervisors: enabled }, caller),
    ]);
    if (!information.ok) {
      throw new ExecError(`Can't get data for node ${node.name}: ${information.message}`);
    }
    if (!running.ok) {
      throw new ExecError(
        `Can't get node instance info from node ${node.name}: ${running.message}`,
      );
    }
    return [node.uuid, liveNode(node, information.value, running.value)];
  });
  return new Map(await Promise.all(answers));
}

const withoutNothing = (parameters: Parameters | undefined): Parameters => parameters ?? {};

/** The storage for disks of the template; nodes report the space of these only. */
function storageFor(
  now: Snapshot,
  node: NodeObject,
  template: DiskTemplate | undefined,
): readonly StorageKey[] {
  const { cluster } = now;
  switch (template) {
    case "plain":
    case "drbd": {
      const key = cluster.volume_group_name;
      if (key === undefined) return [];
      const exclusive = filledNdparams(now, node).exclusive_storage;
      const group = { type: "lvm-vg", key, exclusive };
      return exclusive ? [group, { type: "lvm-pv", key, exclusive }] : [group];
    }
    case "file":
      return [{ type: "file", key: cluster.file_storage_dir }];
    default:
      return [];
  }
}

function liveNode(
  { name }: NodeObject,
  { storage, hypervisors }: NodeInformation,
  running: { readonly [name: string]: RunningInstance },
): LiveNode {
  const [figures] = hypervisors ?? [];
  if (figures === undefined) {
    throw new ExecError(`Node '${name}' didn't return attribute 'memory_free'`);
  }
  const spaceOf = (...types: string[]) => storage?.find(({ type }) => types.includes(type));
  const space = spaceOf("lvm-vg", "file");
  const spindles = spaceOf("lvm-pv");
  return {
    memoryTotalMib: figures.memoryTotalMib,
    memoryNodeMib: figures.memoryNodeMib,
    memoryFreeMib: figures.memoryFreeMib,
    cpuTotal: figures.cpuTotal,
    cpuNode: figures.cpuNode,
    diskTotalMib: space?.size ?? 0,
    diskFreeMib: space?.free ?? 0,
    spindleTotal: spindles?.size ?? 0,
    spindleFree: spindles?.free ?? 0,
    runningMib: new Map(
      Object.entries(running).map(([instance, { memoryMib }]) => [instance, memoryMib]),
    ),
  };
}
