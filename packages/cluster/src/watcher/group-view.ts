/** GroupView: the watcher's view of one node group: instances with their status, nodes with their boot ids. */
import { type InstanceStatusText, instanceStatus } from "@ganeti-ts/cluster-queries";
import { type InstanceInGroup, instancesOfGroupByNode, type Snapshot } from "@ganeti-ts/config";
import type { NodeAnswer, NodeBackend, RunningInstance } from "@ganeti-ts/node-calls";
import type { GroupObject, NodeObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";

export interface WatchedInstance {
  readonly name: string;
  readonly status: InstanceStatusText;
  readonly adminState: RealInstance["admin_state"];
  readonly disksActive: boolean;
  /** Names of the nodes with copies of its disks. */
  readonly secondaries: readonly string[];
  readonly hasOfflineSecondary: boolean;
  /** Whether all of its disks belong to external providers, which cannot be checked. */
  readonly isExternal: boolean;
}

/** An instance whose nodes are looked up on demand, which is rare: most instances run, and nodes rarely boot. */
class SeenInstance implements WatchedInstance {
  readonly status: InstanceStatusText;
  readonly #instance: RealInstance;
  readonly #placed: InstanceInGroup;
  readonly #nodeOf: Seen["nodeOf"];

  constructor(
    instance: RealInstance,
    placed: InstanceInGroup,
    status: InstanceStatusText,
    nodeOf: Seen["nodeOf"],
  ) {
    this.status = status;
    this.#instance = instance;
    this.#placed = placed;
    this.#nodeOf = nodeOf;
  }

  get name(): string {
    return this.#instance.name;
  }

  get adminState(): RealInstance["admin_state"] {
    return this.#instance.admin_state;
  }

  get disksActive(): boolean {
    return this.#instance.disks_active;
  }

  get secondaries(): readonly string[] {
    return this.#nodes().map(({ name }) => name);
  }

  get hasOfflineSecondary(): boolean {
    return this.#nodes().some(({ offline }) => offline);
  }

  get isExternal(): boolean {
    return hasExternalDisks(this.#placed);
  }

  #nodes(): readonly NodeObject[] {
    return this.#placed.secondaries.flatMap((one) => this.#nodeOf(one) ?? []);
  }
}

interface WatchedNode {
  readonly name: string;
  /** Changes with each boot; undefined if the node did not answer. */
  readonly bootId: string | undefined;
}

export interface GroupView {
  /** Instances, except split ones and reservations. Created on demand, because few rounds need the list. */
  readonly instances: readonly WatchedInstance[];
  /** Instances among them that are not running as they should. */
  readonly unusual: readonly WatchedInstance[];
  /** Whether all disks of all instances belong to external providers. */
  readonly isExternal: boolean;
  readonly nodes: readonly WatchedNode[];
  /** Names of instances whose nodes are in different groups; these are not watched. */
  readonly split: readonly string[];
}

type Running = NodeAnswer<{ readonly [name: string]: RunningInstance }>;

/**
 * Calls each online node of the group twice, all at the same time. Secondary nodes report running
 * instances as well, so that an instance on the wrong node does not count as down. O(nodes and
 * instances of the group).
 */
export async function lookAtGroup(
  now: Snapshot,
  group: GroupObject,
  backend: NodeBackend,
): Promise<GroupView> {
  const nodes = now.nodesOfGroup(group.uuid);
  const hypervisors = now.cluster.enabled_hypervisors.map((name) => ({
    name,
    hvparams: now.cluster.hvparams[name] ?? {},
  }));
  const running = new Map<NodeUuid, Running>();
  const watched = await Promise.all(
    nodes.map(async ({ uuid, name }): Promise<WatchedNode> => {
      const [info, instances] = await Promise.all([
        backend.call(uuid, "node_info", { storage: [], hypervisors: [] }, nobody),
        backend.call(uuid, "all_instances_info", { hypervisors }, nobody),
      ]);
      running.set(uuid, instances);
      return { name, bootId: (info.ok && info.value.bootId) || undefined };
    }),
  );
  const byUuid = new Map(nodes.map((node) => [node.uuid, node]));
  const nodeOf = (uuid: NodeUuid) => byUuid.get(uuid) ?? now.node(uuid);
  return new SeenGroup(now, instancesOfGroupByNode(now, group), { running, nodeOf }, watched);
}

interface Seen {
  readonly running: ReadonlyMap<NodeUuid, Running>;
  /** Like `now.node`, faster for nodes of the group. */
  readonly nodeOf: (uuid: NodeUuid) => NodeObject | undefined;
}

/** View of a group. Most instances run as they should and cost only a lookup in the answer of their node. */
class SeenGroup implements GroupView {
  readonly unusual: readonly WatchedInstance[];
  readonly isExternal: boolean;
  readonly nodes: readonly WatchedNode[];
  readonly split: readonly string[];
  readonly #now: Snapshot;
  readonly #seen: Seen;
  readonly #watched: readonly InstanceInGroup[];
  readonly #foundAnywhere: (name: string) => RunningInstance | undefined;
  #instances: readonly WatchedInstance[] | undefined;

  constructor(
    now: Snapshot,
    placed: ReadonlyMap<NodeUuid, readonly InstanceInGroup[]>,
    seen: Seen,
    nodes: readonly WatchedNode[],
  ) {
    this.#now = now;
    this.#seen = seen;
    this.#foundAnywhere = findingIn(seen.running);
    this.nodes = nodes;
    const watched: InstanceInGroup[] = [];
    const split: string[] = [];
    const unusual: WatchedInstance[] = [];
    let isExternal = true;
    for (const [uuid, instancesThere] of placed) {
      const node = seen.nodeOf(uuid);
      const answer = seen.running.get(uuid);
      for (const one of instancesThere) {
        const { instance } = one;
        if (instance.forthcoming) continue;
        if (isSplit(one, node?.group, seen.nodeOf)) {
          split.push(instance.name);
          continue;
        }
        watched.push(one);
        isExternal &&= hasExternalDisks(one);
        if (!runsAsWanted(instance, node, answer)) unusual.push(this.#seenInstance(one));
      }
    }
    this.#watched = watched;
    this.split = split;
    this.unusual = unusual;
    this.isExternal = isExternal;
  }

  get instances(): readonly WatchedInstance[] {
    this.#instances ??= this.#watched.map((one) => this.#seenInstance(one));
    return this.#instances;
  }

  #seenInstance(one: InstanceInGroup): WatchedInstance {
    const instance = one.instance as RealInstance;
    const answer = this.#seen.running.get(instance.primary_node) as Running;
    const here = foundIn(answer, instance.name);
    const found = here ?? this.#foundAnywhere(instance.name);
    const seen =
      found === undefined
        ? answer.ok
          ? ({ ok: true, value: undefined } as const)
          : answer
        : ({ ok: true, value: { found, onPrimary: here !== undefined } } as const);
    const status = instanceStatus(instance, this.#now, seen);
    return new SeenInstance(instance, one, status, this.#seen.nodeOf);
  }
}

/** Whether the status is certainly `running`; all other instances are examined in detail. */
function runsAsWanted(
  { name, admin_state }: RealInstance,
  node: NodeObject | undefined,
  answer: Running | undefined,
): boolean {
  if (admin_state !== "up" || node?.offline !== false || answer === undefined) return false;
  const found = foundIn(answer, name);
  return found !== undefined && found.state !== "shutdown";
}

const foundIn = (answer: Running, name: string): RunningInstance | undefined =>
  answer.ok && Object.hasOwn(answer.value, name) ? answer.value[name] : undefined;

const hasExternalDisks = ({ disks }: InstanceInGroup): boolean =>
  disks.length > 0 && disks.every(({ dev_type }) => dev_type === "ext");

/** Whether one of the instance's secondary nodes is in another group. */
function isSplit(
  { secondaries }: InstanceInGroup,
  group: NodeObject["group"] | undefined,
  nodeOf: Seen["nodeOf"],
): boolean {
  for (const uuid of secondaries) {
    const node = nodeOf(uuid);
    if (node !== undefined && node.group !== group) return true;
  }
  return false;
}

/** Finds running instances by name on any node; O(instances) for the first one. */
function findingIn(
  running: ReadonlyMap<NodeUuid, Running>,
): (name: string) => RunningInstance | undefined {
  let byName: Map<string, RunningInstance> | undefined;
  return (wanted) => {
    if (byName === undefined) {
      byName = new Map();
      for (const answer of running.values()) {
        for (const [name, found] of Object.entries(answer.ok ? answer.value : {})) {
          byName.set(name, found);
        }
      }
    }
    return byName.get(wanted);
  };
}
