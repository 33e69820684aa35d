/** Disks that nodes should have for the active instances of a group, kept between checks. */
import type { InstanceInGroup, Snapshot } from "@ganeti-ts/config";
import { diskOnNode, instancesOfGroupByNode } from "@ganeti-ts/config";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { ClusterObject, GroupObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { eachVolume } from "../cluster/volumes.js";

/** An instance that exists on nodes, with its disks. */
export interface Checked extends InstanceInGroup {
  readonly instance: RealInstance;
}

/** Disks that one node should have; another object as soon as one of them, or its instance, has changed. */
export interface ExpectedOnNode {
  /** Instances with a volume or a side of a mirror here. */
  readonly instances: readonly Checked[];
  readonly hasVolumes: boolean;
  /** Instances with a side of a mirror here. */
  readonly mirrored: readonly RealInstance[];
  /** The mirrors with a side here: a node refuses a question about any other disk. */
  readonly disks: readonly DiskOnNode[];
}

/** By node; nodes that should have nothing are left out. */
export type Expected = ReadonlyMap<NodeUuid, ExpectedOnNode>;

/** An active instance, the nodes where it has volumes, and its mirrors, each as a node knows it. */
interface Active extends Checked {
  readonly volumeNodes: ReadonlySet<NodeUuid>;
  readonly mirrors: readonly Mirror[];
}

interface Mirror {
  readonly nodes: readonly NodeUuid[];
  readonly onNode: DiskOnNode;
}

type Lists = ReturnType<typeof instancesOfGroupByNode>;

/** Result of the last check of a group. */
interface Kept {
  readonly diskparams: ClusterObject["diskparams"];
  /** Instances by primary node; the same list as long as none of them has changed. */
  lists: Lists;
  readonly activeByPrimary: Map<NodeUuid, readonly Active[]>;
  readonly activeByNode: Map<NodeUuid, ReadonlySet<Active>>;
  readonly expected: Map<NodeUuid, ExpectedOnNode>;
}

/** A changed group, or changed parameters of disks, begin again. */
const keptByGroup = new WeakMap<GroupObject, Kept>();

/**
 * O(disks of the group) at first, then O(nodes of the group), and O(disks of a node) for each node on which something has
 * changed. Kept are one `DiskOnNode` for each mirrored disk, some 400 bytes, and lists of references.
 */
export function expectedByNode(now: Snapshot, group: GroupObject): Expected {
  const lists = instancesOfGroupByNode(now, group);
  const before = keptByGroup.get(group);
  const { diskparams } = now.cluster;
  const kept = before?.diskparams === diskparams ? before : nothingKept(diskparams);
  keptByGroup.set(group, kept);
  const dirty = new Set<NodeUuid>();
  for (const primary of kept.lists.keys()) {
    if (!lists.has(primary)) replaceActive(kept, primary, [], dirty);
  }
  for (const [primary, list] of lists) {
    if (kept.lists.get(primary) === list) continue;
    const known = new Map(
      kept.activeByPrimary.get(primary)?.map((one) => [one.instance, one] as const),
    );
    const active = list
      .filter(isActive)
      .map((one) => sameDisks(known.get(one.instance), one) ?? activeOf(now, one));
    replaceActive(kept, primary, active, dirty);
  }
  kept.lists = lists;
  for (const node of dirty) {
    const there = kept.activeByNode.get(node);
    if (there === undefined) kept.expected.delete(node);
    else kept.expected.set(node, expectedOn(node, [...there]));
  }
  // Another check may update it meanwhile.
  return new Map(kept.expected);
}

const nothingKept = (diskparams: Kept["diskparams"]): Kept => ({
  diskparams,
  lists: new Map(),
  activeByPrimary: new Map(),
  activeByNode: new Map(),
  expected: new Map(),
});

/** An instance with nodes on which it can be checked: no reservation. */
export const isReal = (one: InstanceInGroup): one is Checked => !one.instance.forthcoming;

const isActive = (one: InstanceInGroup): one is Checked => isReal(one) && one.instance.disks_active;

const sameDisks = (known: Active | undefined, { disks }: Checked): Active | undefined =>
  known?.disks.length === disks.length && known.disks.every((disk, at) => disk === disks[at])
    ? known
    : undefined;

function activeOf(now: Snapshot, { instance, disks, secondaries }: Checked): Active {
  const volumeNodes = new Set<NodeUuid>();
  eachVolume(disks, (node) => void volumeNodes.add(node));
  const mirrors = disks.flatMap((disk) =>
    disk.dev_type === "drbd" ? { nodes: disk.nodes, onNode: diskOnNode(now, instance, disk) } : [],
  );
  return { instance, disks, secondaries, volumeNodes, mirrors };
}

/** Replaces the active instances of a primary node, and notes the nodes with disks of those that differ. */
function replaceActive(
  { activeByPrimary, activeByNode }: Kept,
  primary: NodeUuid,
  active: readonly Active[],
  dirty: Set<NodeUuid>,
): void {
  const before = new Set(activeByPrimary.get(primary));
  if (active.length === 0) activeByPrimary.delete(primary);
  else activeByPrimary.set(primary, active);
  const after = new Set(active);
  for (const one of before) {
    if (after.has(one)) continue;
    for (const node of nodesOf(one)) {
      dirty.add(node);
      const there = new Set(activeByNode.get(node));
      there.delete(one);
      if (there.size === 0) activeByNode.delete(node);
      else activeByNode.set(node, there);
    }
  }
  for (const one of after) {
    if (before.has(one)) continue;
    for (const node of nodesOf(one)) {
      dirty.add(node);
      const there = activeByNode.get(node) as Set<Active> | undefined;
      if (there === undefined) activeByNode.set(node, new Set([one]));
      else there.add(one);
    }
  }
}

const nodesOf = ({ volumeNodes, mirrors }: Active): ReadonlySet<NodeUuid> =>
  new Set([...volumeNodes, ...mirrors.flatMap(({ nodes }) => nodes)]);

const mirrorsOn = (node: NodeUuid, { mirrors }: Active): readonly Mirror[] =>
  mirrors.filter(({ nodes }) => nodes.includes(node));

function expectedOn(node: NodeUuid, instances: readonly Active[]): ExpectedOnNode {
  const mirrored = instances.filter((one) => mirrorsOn(node, one).length > 0);
  return {
    instances,
    hasVolumes: instances.some(({ volumeNodes }) => volumeNodes.has(node)),
    mirrored: mirrored.map(({ instance }) => instance),
    disks: mirrored.flatMap((one) => mirrorsOn(node, one)).map(({ onNode }) => onNode),
  };
}

/** Instances by volume group and name of the volumes that the node should have. O(volumes). */
export function ownersOn(
  node: NodeUuid,
  { instances }: ExpectedOnNode,
): ReadonlyMap<string, ReadonlyMap<string, RealInstance>> {
  const owners = new Map<string, Map<string, RealInstance>>();
  for (const { instance, disks } of instances) {
    eachVolume(disks, (at, group, name) => {
      if (at !== node) return;
      const inGroup = owners.get(group);
      if (inGroup === undefined) owners.set(group, new Map([[name, instance]]));
      else inGroup.set(name, instance);
    });
  }
  return owners;
}
