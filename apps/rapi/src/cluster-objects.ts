/** The objects of the cluster out of its configuration, and what its nodes say of them. */

import {
  clusterInfo,
  collectLive,
  fieldsOf,
  type LiveData,
  type LiveNeed,
  type QueryDeps,
  queryResource,
} from "@ganeti-ts/cluster-queries";
import { type Configuration, listedInstances, type Snapshot } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import {
  type MasterHost,
  markedOffline,
  type NodeAnswer,
  type NodeBackend,
} from "@ganeti-ts/node-calls";
import { writeJson } from "@ganeti-ts/protocol";
import { nobody } from "./asking-nodes.js";
import { HttpFault } from "./http/fault.js";
import { joined } from "./http/parts.js";
import { RapiTexts } from "./lists/rapi-texts.js";
import type { NodeReply, ObjectKind, Objects } from "./objects.js";
import { queueReader } from "./queue-reader.js";

export interface ClusterPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  readonly queue: JobQueue;
  readonly locks: LockManager;
  /** Of this machine: `["64bits", "x86_64"]`. */
  readonly architecture: readonly [string, string];
}

/** Live figures of a list are used again for so long, in ms, unless a job or the configuration changes. */
const liveForMs = 1000;

const liveNeeds: Readonly<Partial<Record<ObjectKind, ReadonlySet<LiveNeed>>>> = {
  instance: new Set(["instances"]),
  node: new Set(["hypervisor", "storage"]),
};

const newline = Buffer.from("\n");

/** The list of fewer is made in no time. */
const manyInstances = 1000;

interface List {
  readonly now: Snapshot;
  readonly until: number;
  readonly parts: Promise<readonly Uint8Array[]>;
}

/** Objects whose lists can be prepared: what is made before anybody asks, nobody waits for. */
export interface ClusterObjects extends Objects {
  /** A step for each instance and node; may be left off at any. The last may give a promise. */
  preparing(): Iterator<unknown>;
}

export function clusterObjects(ports: ClusterPorts): ClusterObjects {
  const { config, nodes, masterHost, queue, locks, architecture } = ports;
  const texts = new RapiTexts();
  const reader = queueReader(() => queue, locks);
  const lists = new Map<string, List>();
  const ofSnapshot = new WeakMap<Snapshot, Map<string, unknown>>();
  queue.onChange(() => lists.clear());

  /** What `make` gives of the newest snapshot, made once for each. */
  const kept = <T>(key: string, make: (now: Snapshot) => T): T => {
    const now = config.snapshot;
    const values = ofSnapshot.get(now) ?? new Map<string, unknown>();
    ofSnapshot.set(now, values);
    if (!values.has(key)) values.set(key, make(now));
    return values.get(key) as T;
  };

  const live = async (
    kind: ObjectKind,
    items: Iterable<unknown>,
  ): Promise<LiveData | undefined> => {
    const needs = liveNeeds[kind];
    if (needs === undefined) return undefined;
    return collectLive(nodes, nobody, config.snapshot, {
      needs,
      nodes: (kind === "node" ? items : []) as never,
      instances: (kind === "instance" ? items : []) as never,
    });
  };

  const deps = (): QueryDeps => ({
    ...{ now: config.snapshot, nodes, caller: nobody, architecture },
    queue: reader,
  });

  /** By ssh; nodes that are marked offline are left alone. */
  const toNode = async <Value>(
    name: string,
    act: (uuid: string) => Promise<NodeAnswer<Value>>,
  ): Promise<NodeReply<Value>> => {
    const node = config.snapshot.findNode(name);
    if (node === undefined) return undefined;
    return node.offline ? markedOffline : act(node.uuid);
  };

  const objects: ClusterObjects = {
    infoText: () =>
      kept("info", (now) => {
        const info = clusterInfo(now, architecture);
        const { volume_group_name: vg_name, drbd_usermode_helper: drbd_helper } = info;
        return writeJson({ ...info, vg_name, drbd_helper } as never);
      }),

    names: (kind) => kept(`names ${kind}`, (now) => labels(kind, now).sort(byCodeUnits)),

    async listParts(kind, options = {}) {
      const now = config.snapshot;
      const key = `${kind} ${options.unplaced === true}`;
      const known = lists.get(key);
      if (known?.now === now && performance.now() < known.until) return known.parts;
      const made = {
        now,
        until: performance.now() + liveForMs,
        parts: live(kind, all(kind, now)).then((data) =>
          joined([...texts.list(kind, now, data, options), newline]),
        ),
      };
      lists.set(key, made);
      made.parts.catch(() => lists.delete(key));
      return made.parts;
    },

    *preparing() {
      yield* texts.preparing("instance", config.snapshot);
      yield* texts.preparing("node", config.snapshot);
      if (config.snapshot.instanceCount < manyInstances) return;
      // What goes wrong goes wrong again for the first who asks.
      yield objects.listParts("instance").catch(() => {});
    },

    async objectText(kind, name) {
      const now = config.snapshot;
      const item = now.find(kind, name);
      if (item === undefined) return undefined;
      const text = texts.object(kind, item as never, { now, live: await live(kind, [item]) });
      // Of a single node, its second address is also found under a plain name.
      return "secondary_ip" in item
        ? `${text.slice(0, -1)},"secondary_ip":${JSON.stringify(item.secondary_ip)}}`
        : text;
    },

    tags(kind, name) {
      const now = config.snapshot;
      if (kind === "cluster") return now.cluster.tags;
      return now.find(kind, name)?.tags;
    },

    query: (kind, fields, filter) => queryResource(deps(), kind, fields, filter),
    fields: (kind, names) => fieldsOf(kind, names),

    async watcherPause() {
      const { master_node: master } = config.snapshot.cluster;
      const answer = await nodes.call(master, "get_watcher_pause", {}, nobody);
      return answer.ok ? answer.value : null;
    },

    async pauseWatcher(until) {
      const { master_node: master } = config.snapshot.cluster;
      const answer = await nodes.call(master, "set_watcher_pause", { until }, nobody);
      if (!answer.ok) throw new HttpFault(502, answer.message);
    },

    runOnNode: (node, command) => toNode(node, (uuid) => masterHost.runOnNode(uuid, command)),
    fileToNode: (node, { path, ...file }) =>
      toNode(node, (uuid) => masterHost.copyToNode(uuid, path, file)),
  };
  return objects;
}

const all = (kind: ObjectKind, now: Snapshot): Iterable<{ readonly uuid: string }> =>
  kind === "instance" ? listedInstances(now) : now.all(kind);

/** A reservation need not have a name. */
const labels = (kind: ObjectKind, now: Snapshot): string[] =>
  Array.from(
    all(kind, now) as Iterable<{ readonly uuid: string; readonly name?: string }>,
    ({ uuid, name }) => name ?? uuid,
  );

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
