/** KeptEntries: the cluster of allocators, kept between requests and updated from configuration and figures. */
import type { Snapshot } from "@ganeti-ts/config";
import { type At, type ClusterChange, KeptCluster } from "@ganeti-ts/htools";
import type {
  GroupData,
  InstanceData,
  InstanceUuid,
  NodeData,
  NodeObject,
  NodeUuid,
} from "@ganeti-ts/protocol";
import {
  clusterEntries,
  commonEntries,
  groupEntry,
  type MemoriesByNode,
  memoriesByNode,
  nodeEntry,
} from "./cluster-entries.js";
import type { ClusterEntries, NodeEntry } from "./entries.js";
import {
  claimedEntries,
  type PlacedEntry,
  placedEntries,
  placedEntry,
} from "./instance-entries.js";
import { LiveFigures } from "./live-figures.js";
import type { LiveNode } from "./live-nodes.js";
import { groupData, indexOf, nodeData, type Positions, placedInstance } from "./message.js";

type Live = ReadonlyMap<NodeUuid, LiveNode>;

interface KeptNode {
  readonly uuid: NodeUuid;
  readonly live: LiveNode | undefined;
  readonly named: readonly [name: string, entry: NodeEntry];
}

/**
 * Follows snapshots: `update` computes only what differs from the last one, O(changed * log n), and copies of
 * columns (see `KeptCluster`). Added or removed nodes and groups, and changed defaults of the cluster, cost
 * O(nodes + instances).
 */
export class KeptEntries {
  #now: Snapshot;
  #kept: KeptCluster;
  #nodes: KeptNode[] = [];
  #nodeIndex: ReadonlyMap<string, number> = new Map();
  #indexByUuid: ReadonlyMap<string, number> = new Map();
  #groups: ClusterEntries["groups"] = [];
  /** Sorted by UUID, as instances are in messages; changed in place. */
  #placed: PlacedEntry[] = [];
  /** Number of updates so far. */
  #version = 0;
  /** The figures of the last update, and their position, if they record changes. */
  #figures: { readonly live: LiveFigures; readonly position: number } | undefined;
  #memories: MemoriesByNode = new Map();
  readonly #uuidByName = new Map<string, InstanceUuid>();

  constructor(now: Snapshot, live: Live) {
    this.#now = now;
    this.#kept = this.#rebuilt(now, live);
  }

  /** The placement core's cluster, as of the last `update`. */
  get cluster(): KeptCluster {
    return this.#kept;
  }

  /** A function that lists the present entries of messages, even if it is called after updates. O(nodes + instances). */
  entriesLater(): () => ClusterEntries {
    const common = commonEntries(this.#now);
    const [now, version, groups, nodes] = [this.#now, this.#version, this.#groups, this.#nodes];
    return () => {
      // After an update the list of instances is that of another snapshot.
      const placed = version === this.#version ? this.#placed : placedEntries(now);
      return {
        ...common,
        groups,
        nodes: nodes.map(({ named }) => named),
        instances: placed.map(({ named }) => named),
      };
    };
  }

  /** Positions of the objects in `cluster`, until the next update. */
  get positions(): Positions {
    return {
      ofInstance: (name) => {
        const uuid = this.#uuidByName.get(name);
        return uuid === undefined ? undefined : this.positionOf(uuid);
      },
      ofNode: (name) => this.#nodeIndex.get(name),
      ofGroup: (uuid) => this.#indexByUuid.get(uuid),
    };
  }

  /** Position of an instance; undefined if it is not listed. O(log n). */
  positionOf(uuid: InstanceUuid): number | undefined {
    const at = lowerBound(this.#placed, uuid);
    return this.#placed[at]?.uuid === uuid ? at : undefined;
  }

  /** Brings everything up to date with a snapshot and figures. */
  update(now: Snapshot, live: Live): void {
    const before = this.#now;
    this.#now = now;
    this.#version++;
    if (needsRebuilding(before, now)) {
      this.#kept = this.#rebuilt(now, live);
      return;
    }
    const dirtyNodes = this.#nodesWithOtherFigures(live);
    const groups = this.#changedGroups(before, now, dirtyNodes);
    for (const { key } of now.differencesFrom(before, "node")) dirtyNodes.add(key as NodeUuid);
    const instances = this.#changedInstances(before, now, dirtyNodes);
    const nodes = this.#changedNodes(now, live, dirtyNodes);
    const change: ClusterChange = { nodes, groups, ...instances };
    if (Object.values(change).some((list) => list.length > 0)) {
      this.#kept = this.#kept.withChange(change);
    }
  }

  #rebuilt(now: Snapshot, live: Live): KeptCluster {
    this.#noteFigures(live);
    const entries = clusterEntries(now, live);
    const nodes = [...now.nodes()];
    this.#placed = placedEntries(now);
    this.#memories = memoriesByNode(this.#placed);
    this.#groups = entries.groups;
    this.#nodes = nodes.map(({ uuid }, at) => ({
      uuid,
      live: live.get(uuid),
      named: entries.nodes[at] as KeptNode["named"],
    }));
    this.#nodeIndex = indexOf(entries.nodes);
    this.#indexByUuid = new Map([
      ...nodes.map(({ uuid }, at) => [uuid, at] as const),
      ...indexOf(entries.groups),
    ]);
    this.#uuidByName.clear();
    for (const { uuid, named } of this.#placed) this.#uuidByName.set(named[0], uuid);
    const groupIndex = indexOf(entries.groups);
    return KeptCluster.of({
      groups: entries.groups.map(([uuid, entry]) => groupData(uuid, entry)),
      nodes: entries.nodes.map(([name, entry]) =>
        nodeData(name, entry, groupIndex.get(entry.group) ?? -1),
      ),
      instances: this.#placed.map(({ named: [name, entry] }) =>
        placedInstance(name, entry, this.#nodeIndex),
      ),
      tags: entries.tags,
      policy: undefined,
      hypervisor: entries.hypervisors[0],
    });
  }

  #noteFigures(live: Live): void {
    this.#figures = live instanceof LiveFigures ? { live, position: live.position } : undefined;
  }

  /** O(changed) if the figures record changes, else O(nodes) comparisons. */
  #nodesWithOtherFigures(live: Live): Set<NodeUuid> {
    const { live: source, position = 0 } = this.#figures ?? {};
    const changed = source === live ? source?.changedSince(position) : undefined;
    this.#noteFigures(live);
    const dirty = new Set<NodeUuid>();
    for (const uuid of changed ?? this.#nodes.map((node) => node.uuid)) {
      const node = this.#nodes[this.#indexByUuid.get(uuid) ?? -1];
      if (node !== undefined && live.get(uuid) !== node.live) dirty.add(uuid);
    }
    return dirty;
  }

  /** Nodes of changed groups may have other parameters. */
  #changedGroups(before: Snapshot, now: Snapshot, dirtyNodes: Set<NodeUuid>): At<GroupData>[] {
    const changed: At<GroupData>[] = [];
    const groups = [...this.#groups];
    for (const { key, after } of now.differencesFrom(before, "group")) {
      const index = this.#indexByUuid.get(key) as number;
      if (after === undefined) continue;
      const entry = groupEntry(now, after);
      groups[index] = [after.uuid, entry];
      changed.push({ index, data: groupData(after.uuid, entry) });
      for (const { uuid } of now.nodesOfGroup(after.uuid)) dirtyNodes.add(uuid);
    }
    if (changed.length > 0) this.#groups = groups;
    return changed;
  }

  /** The free memory of primary nodes depends on their instances. */
  #changedInstances(
    before: Snapshot,
    now: Snapshot,
    dirtyNodes: Set<NodeUuid>,
  ): Pick<Required<ClusterChange>, "removed" | "added" | "changed"> {
    const removed: number[] = [];
    const fresh: PlacedEntry[] = [];
    const replaced: PlacedEntry[] = [];
    for (const [uuid, after] of changedEntries(before, now)) {
      const position = this.positionOf(uuid);
      const known = position === undefined ? undefined : this.#placed[position];
      this.#note(known, after, dirtyNodes);
      if (position === undefined) {
        if (after !== undefined) fresh.push(after);
      } else if (after === undefined) removed.push(position);
      else {
        this.#placed[position] = after;
        replaced.push(after);
      }
    }
    for (const position of removed.toReversed()) this.#placed.splice(position, 1);
    for (const one of fresh) this.#placed.splice(lowerBound(this.#placed, one.uuid), 0, one);
    const placedAt = (one: PlacedEntry): At<InstanceData> => ({
      index: this.positionOf(one.uuid) as number,
      data: placedInstance(...one.named, this.#nodeIndex),
    });
    return { removed, added: fresh.map(placedAt), changed: replaced.map(placedAt) };
  }

  #note(
    before: PlacedEntry | undefined,
    after: PlacedEntry | undefined,
    dirtyNodes: Set<NodeUuid>,
  ): void {
    if (before !== undefined) {
      dirtyNodes.add(before.primary);
      this.#memories.get(before.primary)?.delete(before.uuid);
      const [name] = before.named;
      if (this.#uuidByName.get(name) === before.uuid) this.#uuidByName.delete(name);
    }
    if (after === undefined) return;
    const { primary, uuid, memory, named } = after;
    dirtyNodes.add(primary);
    const there = this.#memories.get(primary) ?? new Map();
    this.#memories.set(primary, there.set(uuid, memory));
    this.#uuidByName.set(named[0], uuid);
  }

  /** Those of the given nodes whose data for the placement core differ. */
  #changedNodes(now: Snapshot, live: Live, dirtyNodes: ReadonlySet<NodeUuid>): At<NodeData>[] {
    const changed: At<NodeData>[] = [];
    if (dirtyNodes.size > 0) this.#nodes = [...this.#nodes];
    for (const uuid of dirtyNodes) {
      const index = this.#indexByUuid.get(uuid) as number;
      const node = now.node(uuid) as NodeObject;
      const figures = live.get(uuid);
      const entry = nodeEntry(now, node, figures, this.#memories.get(uuid)?.values());
      this.#nodes[index] = { uuid, live: figures, named: [node.name, entry] };
      const data = nodeData(node.name, entry, this.#indexByUuid.get(entry.group) ?? -1);
      const known = this.#kept.cluster.data.nodes[index] as NodeData;
      if (!isEqual(known, data)) changed.push({ index, data });
    }
    return changed;
  }
}

type Changed = readonly [InstanceUuid, PlacedEntry | undefined];

/** Entries of instances and claims that may have changed, undefined for those that are gone; ascending by UUID. */
function changedEntries(before: Snapshot, now: Snapshot): readonly Changed[] {
  const entries = new Map<InstanceUuid, PlacedEntry | undefined>();
  const claims = now.differencesFrom(before, "claim");
  for (const { before: old } of claims) {
    for (const { uuid } of old === undefined ? [] : claimedEntries(before, old)) {
      entries.set(uuid, undefined);
    }
  }
  for (const uuid of changedInstances(before, now)) {
    const instance = now.instance(uuid);
    entries.set(uuid, instance && placedEntry(now, instance));
  }
  for (const { after } of claims) {
    for (const entry of after === undefined ? [] : claimedEntries(now, after)) {
      entries.set(entry.uuid, entry);
    }
  }
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function changedInstances(before: Snapshot, now: Snapshot): ReadonlySet<InstanceUuid> {
  const changed = new Set<InstanceUuid>();
  for (const { key } of now.differencesFrom(before, "instance")) changed.add(key as InstanceUuid);
  for (const { before: old, after } of now.differencesFrom(before, "disk")) {
    for (const owner of [
      old && before.instanceOfDisk(old.uuid),
      after && now.instanceOfDisk(after.uuid),
    ]) {
      if (owner !== undefined) changed.add(owner.uuid);
    }
  }
  return changed;
}

/** Whether positions of nodes or groups differ, or values that all entries inherit. */
function needsRebuilding(before: Snapshot, now: Snapshot): boolean {
  if (before === now) return false;
  const [old, { cluster }] = [before.cluster, now];
  if (old !== cluster) {
    const keys = ["tags", "enabled_hypervisors", "beparams", "nicparams", "ipolicy", "ndparams"];
    const differ = (key: string) => {
      const [a, b] = [old, cluster].map((one) => (one as unknown as Record<string, unknown>)[key]);
      return a !== b && JSON.stringify(a) !== JSON.stringify(b);
    };
    if (keys.some(differ)) return true;
  }
  return (
    now
      .differencesFrom(before, "node")
      .some((one) => one.before === undefined || one.before.name !== one.after?.name) ||
    now
      .differencesFrom(before, "group")
      .some((one) => one.before === undefined || one.after === undefined)
  );
}

/** Position of the first entry whose UUID is not less. */
function lowerBound(placed: readonly PlacedEntry[], uuid: string): number {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((placed[middle] as PlacedEntry).uuid < uuid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isEqual(a: NodeData, b: NodeData): boolean {
  for (const key of Object.keys(a) as (keyof NodeData)[]) {
    if (a[key] !== b[key] && JSON.stringify(a[key]) !== JSON.stringify(b[key])) return false;
  }
  return true;
}
