// Random changes of a cluster's data, and their opposites.
import type { AllocatorRequest, ClusterData, InstanceData, NodeData } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { At, ClusterChange } from "../src/model/cluster-change.js";

/** Up to three instances removed, added and changed each; nodes and groups take figures of `pool`. */
export function randomChange(dice: Dice, data: ClusterData, pool: ClusterData): ClusterChange {
  const positions = [...data.instances.keys()];
  const removed = dice.chance(0.5) ? upTo(dice, 3, positions) : [];
  const kept = data.instances.filter((_, index) => !removed.includes(index));
  const added: At<InstanceData>[] = [];
  for (let i = dice.chance(0.6) ? dice.between(1, 3) : 0; i > 0 && pool.instances.length > 0; i--) {
    const at = dice.between(0, kept.length);
    // Later positions move up.
    for (const [k, one] of added.entries()) {
      if (one.index >= at) added[k] = { ...one, index: one.index + 1 };
    }
    const one = withPlace(dice, dice.pick(pool.instances), data);
    added.push({ index: at, data: one });
    kept.splice(at, 0, one);
  }
  const fresh = new Set(added.map(({ index }) => index));
  const old = [...kept.keys()].filter((index) => !fresh.has(index));
  const changed = (dice.chance(0.6) ? upTo(dice, 3, old) : []).map((index) => ({
    index,
    data: changedInstance(dice, kept[index] as InstanceData, data, pool),
  }));
  const nodes = (dice.chance(0.5) ? upTo(dice, 3, [...data.nodes.keys()]) : []).map((index) => ({
    index,
    data: changedNode(dice, data.nodes[index] as NodeData, pool),
  }));
  const groups = (dice.chance(0.2) ? upTo(dice, 1, [...data.groups.keys()]) : []).map((index) => {
    const { policy, networks, allocationPolicy } = dice.pick(pool.groups);
    const before = data.groups[index] as ClusterData["groups"][number];
    return { index, data: { ...before, policy, networks, allocationPolicy } };
  });
  return { removed: dice.shuffled(removed), added: dice.shuffled(added), changed, nodes, groups };
}

const upTo = <T>(dice: Dice, most: number, items: readonly T[]): T[] =>
  dice.shuffled([...items]).slice(0, dice.between(0, most));

function withPlace(dice: Dice, instance: InstanceData, { nodes }: ClusterData): InstanceData {
  const [primary = 0, secondary = -1] = dice.shuffled([...nodes.keys()]);
  const isMirrored = instance.secondary >= 0 && nodes.length > 1;
  return { ...instance, primary, secondary: isMirrored ? secondary : -1 };
}

function changedInstance(
  dice: Dice,
  instance: InstanceData,
  data: ClusterData,
  pool: ClusterData,
): InstanceData {
  switch (dice.between(0, 3)) {
    case 0:
      return withPlace(dice, instance, data);
    case 1:
      return { ...instance, memoryMib: 128 * dice.between(1, 30), vcpus: dice.between(1, 4) };
    case 2:
      return { ...instance, status: dice.pick(["running", "ADMIN_down", "ADMIN_offline"]) };
    default: {
      if (pool.instances.length === 0) return { ...instance, forthcoming: !instance.forthcoming };
      const { tags, forthcoming } = dice.pick(pool.instances);
      return { ...instance, tags, forthcoming };
    }
  }
}

function changedNode(dice: Dice, node: NodeData, pool: ClusterData): NodeData {
  const other = dice.pick(pool.nodes);
  switch (dice.between(0, 4)) {
    case 0:
      return { ...node, memoryFreeMib: Math.round(node.memoryFreeMib * dice.fraction()) };
    case 1:
      return { ...node, offline: !node.offline };
    case 2:
      return { ...node, tags: other.tags };
    case 3:
      return { ...node, groupIndex: Math.min(other.groupIndex, pool.groups.length - 1) };
    default:
      return { ...other, name: node.name, groupIndex: node.groupIndex };
  }
}

/** The change that leads back to `before`. */
export function opposite(before: ClusterData, change: ClusterChange): ClusterChange {
  const { removed = [], added = [], changed = [], nodes = [], groups = [] } = change;
  const kept = before.instances.filter((_, index) => !removed.includes(index));
  const fresh = new Set(added.map(({ index }) => index));
  const after: (InstanceData | undefined)[] = [];
  for (let at = 0, next = 0; at < kept.length + fresh.size; at++) {
    after.push(fresh.has(at) ? undefined : kept[next++]);
  }
  const back = changed.map(({ index }) => after[index] as InstanceData);
  return {
    removed: added.map(({ index }) => index),
    added: removed.map((index) => ({ index, data: before.instances[index] as InstanceData })),
    changed: back.map((data) => ({ index: before.instances.indexOf(data), data })),
    nodes: nodes.map(({ index }) => ({ index, data: before.nodes[index] as NodeData })),
    groups: groups.map(({ index }) => ({
      index,
      data: before.groups[index] as ClusterData["groups"][number],
    })),
  };
}

/** The same request for a cluster with other instances; undefined if it has none for it. */
export function requestFor(
  { instances }: ClusterData,
  request: AllocatorRequest,
): AllocatorRequest | undefined {
  const count = instances.length;
  if ("instanceIndex" in request) {
    if (count === 0) return undefined;
    const instanceIndex = request.instanceIndex % count;
    if (request.type !== "relocate") return { ...request, instanceIndex };
    const { primary, secondary } = instances[instanceIndex] as InstanceData;
    return { ...request, instanceIndex, relocateFrom: [secondary >= 0 ? secondary : primary] };
  }
  if (!("instanceIndices" in request)) return request;
  const instanceIndices = request.instanceIndices.filter((index) => index < count);
  return { ...request, instanceIndices };
}
