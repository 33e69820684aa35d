/** Objects of a cluster: queries about them, and direct operations on single nodes. */

import {
  type AskingOptions,
  type ClusterInfo,
  clusterInfo,
  collectInOrder,
  collectLive,
  collectNodesInOrder,
  fieldsOf,
  InstanceIndexes,
  type LiveData,
  type LiveInOrder,
  type LiveRequest,
  type NamedKind,
  type NameOrders,
  nameOrders,
  type PageOptions,
  type QueryKind,
  type QueryPage,
  type QueueReader,
  queryPage,
  queryResource,
  UsedHypervisors,
} from "@ganeti-ts/cluster-queries";
import type { Configuration, ObjectsByType, Snapshot } from "@ganeti-ts/config";
import {
  type MasterHost,
  markedOffline,
  type NodeAnswer,
  type NodeBackend,
} from "@ganeti-ts/node-calls";
import type { InstanceObject, Json, NodeObject } from "@ganeti-ts/protocol";
import type { FieldDefinition, QueryResult } from "@ganeti-ts/query";
import { nobody } from "../nodes/asking-nodes.js";
import { type ClaimView, claimViews } from "./claims.js";
import { type MirrorState, mirrorsOf } from "./mirrors.js";

/** Kinds of objects that have names and tags. */
export type ObjectKind = "node" | "group" | "network" | "instance";

/** Queries, names and tags of the objects of a cluster, and operations on single nodes without a job. */
export interface ClusterObjects {
  /** The cluster as a whole. */
  info(): ClusterInfo;
  /**
   * Names of all objects, with the UUID for a reservation without a name, sorted by code units. Returns the same array as
   * long as the names do not change.
   */
  names(kind: ObjectKind): readonly string[];
  /**
   * Tags of an object by name or UUID, or undefined if it does not exist; the cluster needs no
   * name.
   */
  tags(kind: ObjectKind | "cluster", name: string): readonly string[] | undefined;
  /** @throws FilterError with Ganeti's text */
  query(kind: QueryKind, fields: readonly string[], filter: Json): Promise<QueryResult>;
  /** The rows of `query` in pages, in natural order of names. @throws FilterError */
  queryPage(
    kind: NamedKind,
    fields: readonly string[],
    filter: Json,
    options: PageOptions,
  ): Promise<QueryPage>;
  /** The objects in natural order of their names. */
  readonly orders: NameOrders;
  /** Definitions of the named fields, or of all fields of the kind if no names are given. */
  fields(kind: QueryKind, names?: readonly string[]): readonly FieldDefinition[];
  /** Figures of nodes and of their instances; O(nodes concerned) calls. */
  live(request: LiveRequest): Promise<LiveData>;
  /** The same for a long list of instances of a snapshot, which is shown while calls to nodes are still running. */
  liveInOrder(
    now: Snapshot,
    instances: readonly InstanceObject[],
    options: AskingOptions,
  ): LiveInOrder;
  /** The same for a long list of nodes. */
  liveNodesInOrder(
    now: Snapshot,
    nodes: readonly NodeObject[],
    options: AskingOptions,
  ): LiveInOrder<NodeObject>;
  /**
   * State of the mirrors of an instance (by name or UUID), reported by its primary node: one entry per disk, null for a disk
   * that is not mirrored or not active. Undefined if the instance does not exist or is only reserved.
   */
  mirrors(instance: string): Promise<NodeReply<readonly (MirrorState | null)[]>>;
  /** Resources of nodes that jobs hold, and leftovers of ended jobs. */
  claims(): Promise<readonly ClaimView[]>;
  /** Seconds since the epoch until which the watcher is paused; null if it is not. */
  watcherPause(): Promise<number | null>;
  /** Returns the answer of the master node; master candidates also store the pause, in case one becomes the master. */
  pauseWatcher(until: number | null): Promise<NodeAnswer<null>>;
  /** Runs a command line as root on a node, given by name or UUID. */
  runOnNode(
    node: string,
    command: string,
  ): Promise<NodeReply<{ readonly output: string; readonly exitCode: number }>>;
  fileToNode(
    node: string,
    file: { readonly path: string; readonly content: string; readonly mode: number },
  ): Promise<NodeReply<null>>;
}

/** Undefined if the node does not exist. */
export type NodeReply<Value> = NodeAnswer<Value> | undefined;

export interface ObjectPorts {
  readonly config: Pick<Configuration, "snapshot">;
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  readonly queue: QueueReader;
  readonly architecture: readonly [string, string];
}

export function clusterObjects({
  config,
  nodes,
  masterHost,
  queue,
  architecture,
}: ObjectPorts): ClusterObjects {
  const indexes = new InstanceIndexes();
  const hypervisors = new UsedHypervisors();
  const namesOf = keptNames();
  const orders = nameOrders();

  /** Runs `action` for a node over ssh; nodes marked offline are not contacted. */
  const toNode = async <Value>(
    name: string,
    act: (uuid: string) => Promise<NodeAnswer<Value>>,
  ): Promise<NodeReply<Value>> => {
    const node = config.snapshot.findNode(name);
    if (node === undefined) return undefined;
    return node.offline ? markedOffline : act(node.uuid);
  };

  return {
    info: () => clusterInfo(config.snapshot, architecture),

    names: (kind) => namesOf(kind, config.snapshot),

    tags(kind, name) {
      const now = config.snapshot;
      if (kind === "cluster") return now.cluster.tags;
      return now.find(kind, name)?.tags;
    },

    query: (kind, fields, filter) =>
      queryResource(
        { now: config.snapshot, nodes, caller: nobody, architecture, queue, indexes },
        kind,
        fields,
        filter,
      ),
    queryPage: (kind, fields, filter, options) =>
      queryPage(
        { now: config.snapshot, nodes, caller: nobody, indexes, orders },
        ...([kind, fields, filter, options] as const),
      ),
    orders,
    fields: (kind, names) => fieldsOf(kind, names),
    live: (request) => collectLive(nodes, nobody, config.snapshot, request),
    liveInOrder: (now, instances, options) =>
      collectInOrder(nodes, nobody, now, instances, {
        ...options,
        hypervisors: hypervisors.names(now),
      }),
    liveNodesInOrder: (now, list, options) =>
      collectNodesInOrder(nodes, nobody, now, list, options),

    mirrors: (instance) => mirrorsOf(config.snapshot, nodes, instance),

    claims: () => claimViews(config.snapshot, queue),

    ...watcherPauses({ config, nodes }),

    runOnNode: (node, command) => toNode(node, (uuid) => masterHost.runOnNode(uuid, command)),
    fileToNode: (node, { path, ...file }) =>
      toNode(node, (uuid) => masterHost.copyToNode(uuid, path, file)),
  };
}

/** Reads and writes the pause of the watcher, which nodes store. */
const watcherPauses = ({
  config,
  nodes,
}: Pick<ObjectPorts, "config" | "nodes">): Pick<
  ClusterObjects,
  "watcherPause" | "pauseWatcher"
> => ({
  async watcherPause() {
    const { master_node: master } = config.snapshot.cluster;
    const answer = await nodes.call(master, "get_watcher_pause", {}, nobody);
    return answer.ok ? answer.value : null;
  },
  async pauseWatcher(until) {
    const now = config.snapshot;
    const { master_node: master } = now.cluster;
    const pause = (node: string) => nodes.call(node, "set_watcher_pause", { until }, nobody);
    const candidates = Array.from(now.nodes()).filter(
      ({ uuid, master_candidate }) => master_candidate && uuid !== master,
    );
    const [answer] = await Promise.all([
      pause(master),
      ...candidates.map(({ uuid }) => pause(uuid)),
    ]);
    return answer;
  },
});

/** Returns a function that lists the names of a kind, cached as long as they do not change. */
function keptNames(): (kind: ObjectKind, now: Snapshot) => readonly string[] {
  const lists = new Map<ObjectKind, { now: Snapshot; readonly names: readonly string[] }>();
  return (kind, now) => {
    const known = lists.get(kind);
    if (known !== undefined && haveSameNames(kind, known.now, now)) {
      known.now = now;
      return known.names;
    }
    const names = labels(kind, now).sort(byCodeUnits);
    lists.set(kind, { now, names });
    return names;
  };
}

/** Name of an object, or the UUID of a reservation without a name. */
const labelOf = ({ name, uuid }: ObjectsByType[ObjectKind]): string => name ?? uuid;

const labels = (kind: ObjectKind, now: Snapshot): string[] =>
  Array.from<ObjectsByType[ObjectKind], string>(now.all(kind), labelOf);

/** Whether the names of all objects are equal in both snapshots. O(changes * log n). */
const haveSameNames = (kind: ObjectKind, before: Snapshot, now: Snapshot): boolean =>
  before === now ||
  now
    .differencesFrom(before, kind)
    .every((one) => (one.before && labelOf(one.before)) === (one.after && labelOf(one.after)));

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
