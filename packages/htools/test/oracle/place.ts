// Adding to and removing from a node, check by check, on copies.
import type { MisfitName } from "../../src/fit/misfit.js";
import { missed, type PlainInstance, type PlainNode, pairsOf } from "./model.js";

type Outcome = PlainNode | MisfitName;

export const isNode = (outcome: Outcome): outcome is PlainNode => typeof outcome !== "string";

/** Instance policy of the primary's group; undefined if it accepts the instance. */
export function policyRefusal(node: PlainNode, instance: PlainInstance): MisfitName | undefined {
  const { minMax, diskTemplates } = node.policy;
  const { data, memory, vcpus } = instance;
  const spindles = node.exclusive ? instance.spindles : instance.use;
  const refusals = minMax.map(({ min, max }): MisfitName | undefined => {
    for (const [spec, exceeds] of [
      [min, (value: number, bound: number) => value < bound],
      [max, (value: number, bound: number) => value > bound],
    ] as const) {
      if (exceeds(memory, spec.memoryMib)) return "FailMem";
      if (data.disks.some(({ sizeMib }) => exceeds(sizeMib, spec.diskMib))) return "FailDisk";
      if (exceeds(vcpus, spec.cpuCount)) return "FailCPU";
      if (spindles === undefined || exceeds(spindles, spec.spindleUse)) return "FailSpindles";
      const counted = data.diskTemplate !== "diskless";
      if (counted && exceeds(data.disks.length, spec.diskCount)) return "FailDiskCount";
    }
    return undefined;
  });
  if (minMax.length > 0 && !refusals.includes(undefined)) return refusals[0];
  return diskTemplates.includes(data.diskTemplate) ? undefined : "FailDisk";
}

const spindlesAfter = (node: PlainNode, free: number, { spindles }: PlainInstance) =>
  node.exclusive ? (spindles === undefined ? -1 : free - spindles) : 0;
const useAfter = (node: PlainNode, used: number, { local, use }: PlainInstance) =>
  node.exclusive ? 0 : used + (local ? use : 0);
const spindlesMax = (node: PlainNode) => node.policy.spindleRatio * node.spindleTotal;

export function addPri(
  node: PlainNode,
  instance: PlainInstance,
  force: boolean,
  listedAs = instance.index,
): Outcome {
  const { local, tags } = instance;
  const ratio = node.policy.vcpuRatio;
  const disk = local ? instance.disk : 0;
  const vcpus = instance.counts ? instance.vcpus : 0;
  const planned = {
    memoryPlanned: node.memoryPlanned - instance.memory,
    diskPlanned: node.diskPlanned - disk,
    spindlesPlanned: spindlesAfter(node, node.spindlesPlanned, instance),
    usePlanned: useAfter(node, node.usePlanned, instance),
    vcpusPlanned: node.vcpusPlanned + vcpus,
    tags: [...node.tags, ...tags],
  };
  const plannedRefusal = (): MisfitName | undefined => {
    if (planned.memoryPlanned <= 0) return "FailMem";
    if (local && planned.diskPlanned <= 0) return "FailDisk";
    if (local && node.exclusive && planned.spindlesPlanned < 0) return "FailSpindles";
    if (local && planned.usePlanned > spindlesMax(node)) return "FailDisk";
    if (ratio >= 0 && ratio < planned.vcpusPlanned / node.cpuTotal) return "FailCPU";
    return undefined;
  };
  if (instance.forthcoming) {
    return (force ? undefined : plannedRefusal()) ?? { ...node, ...planned };
  }
  const memory = node.memory - (instance.usesMemory ? instance.memory : 0);
  const real = {
    memory,
    disk: node.disk - disk,
    spindles: spindlesAfter(node, node.spindles, instance),
    use: useAfter(node, node.use, instance),
    vcpus: node.vcpus + vcpus,
    failsN1: memory <= node.reserved,
  };
  if (memory <= 0) return "FailMem";
  if (local && real.disk <= 0) return "FailDisk";
  if (!force && local && real.disk < 0) return "FailDisk";
  if (local && node.exclusive && real.spindles < 0) return "FailSpindles";
  if (!force) {
    if (local && real.use > spindlesMax(node)) return "FailDisk";
    if (real.failsN1 && !node.failsN1) return "FailMem";
    if (ratio >= 0 && ratio < real.vcpus / node.cpuTotal) return "FailCPU";
    if (tags.some((tag) => node.tags.includes(tag))) return "FailTags";
    const refusal = plannedRefusal();
    if (refusal !== undefined) return refusal;
  }
  return {
    ...node,
    ...planned,
    ...real,
    primaries: [listedAs, ...node.primaries],
    load: node.load.map((value) => value + 1),
    locationScore: node.locationScore + instance.locationScore + missed(node, instance),
    pairs: [...node.pairs, ...pairsOf(node, tags)],
  };
}

export function addSec(
  node: PlainNode,
  instance: PlainInstance,
  primary: number,
  force: boolean,
  { listedAs = instance.index, ignoreDisk = false } = {},
): Outcome {
  const need = instance.reserves ? instance.memory : 0;
  const planned = {
    diskPlanned: node.diskPlanned - instance.disk,
    spindlesPlanned: spindlesAfter(node, node.spindlesPlanned, instance),
    usePlanned: useAfter(node, node.usePlanned, instance),
  };
  const plannedRefusal = (): MisfitName | undefined => {
    if (planned.diskPlanned <= 0) return "FailDisk";
    if (node.exclusive && planned.spindlesPlanned < 0) return "FailSpindles";
    if (planned.usePlanned > spindlesMax(node)) return "FailDisk";
    return need >= node.memoryPlanned ? "FailMem" : undefined;
  };
  if (instance.forthcoming) {
    if (force) return { ...node, ...planned };
    if (instance.data.diskTemplate !== "drbd") return "FailDisk";
    return plannedRefusal() ?? { ...node, ...planned };
  }
  const disk = node.disk - instance.disk;
  const spindles = spindlesAfter(node, node.spindles, instance);
  const use = useAfter(node, node.use, instance);
  const forPrimary = (node.peers.get(primary) ?? 0) + need;
  const reserved = Math.max(node.reserved, forPrimary);
  const failsN1 = node.memory <= reserved;
  if (instance.data.diskTemplate !== "drbd") return "FailDisk";
  if (!ignoreDisk && disk <= 0) return "FailDisk";
  if (!force && disk < 0) return "FailDisk";
  if (node.exclusive && spindles < 0) return "FailSpindles";
  if (!force) {
    if (use > spindlesMax(node)) return "FailDisk";
    if (need >= node.memory) return "FailMem";
    if (failsN1 && !node.failsN1) return "FailMem";
    const refusal = plannedRefusal();
    if (refusal !== undefined) return refusal;
  }
  return {
    ...node,
    ...planned,
    disk,
    spindles,
    use,
    secondaries: [listedAs, ...node.secondaries],
    peers: new Map([...node.peers, [primary, forPrimary]]),
    reserved,
    failsN1,
    load: node.load.map((value, kind) => value + (kind === 2 ? 1 : 0)),
  };
}

const without = <T>(items: readonly T[], gone: T): T[] => {
  const at = items.indexOf(gone);
  return items.filter((_, i) => i !== at);
};
const withoutAll = <T>(items: readonly T[], gone: readonly T[]): T[] =>
  gone.reduce<T[]>((left, one) => without(left, one), [...items]);
const spindlesBack = (node: PlainNode, free: number, { spindles }: PlainInstance) =>
  node.exclusive ? free + (spindles ?? 0) : 0;
const useBack = (node: PlainNode, used: number, { local, use }: PlainInstance) =>
  node.exclusive ? 0 : used - (local ? use : 0);

export function removePri(node: PlainNode, instance: PlainInstance): PlainNode {
  const disk = instance.local ? instance.disk : 0;
  const vcpus = instance.counts ? instance.vcpus : 0;
  const planned = {
    memoryPlanned: node.memoryPlanned + instance.memory,
    diskPlanned: node.diskPlanned + disk,
    spindlesPlanned: spindlesBack(node, node.spindlesPlanned, instance),
    usePlanned: useBack(node, node.usePlanned, instance),
    vcpusPlanned: node.vcpusPlanned - vcpus,
    tags: withoutAll(node.tags, instance.tags),
  };
  if (instance.forthcoming) return { ...node, ...planned };
  const memory = node.memory + (instance.usesMemory ? instance.memory : 0);
  return {
    ...node,
    ...planned,
    memory,
    disk: node.disk + disk,
    spindles: spindlesBack(node, node.spindles, instance),
    use: useBack(node, node.use, instance),
    vcpus: node.vcpus - vcpus,
    failsN1: memory <= node.reserved,
    primaries: without(node.primaries, instance.index),
    load: node.load.map((value) => value - 1),
    locationScore: node.locationScore - instance.locationScore - missed(node, instance),
    pairs: withoutAll(node.pairs, pairsOf(node, instance.tags)),
  };
}

export function removeSec(node: PlainNode, instance: PlainInstance): PlainNode {
  const planned = {
    diskPlanned: node.diskPlanned + instance.disk,
    spindlesPlanned: spindlesBack(node, node.spindlesPlanned, instance),
    usePlanned: useBack(node, node.usePlanned, instance),
  };
  if (instance.forthcoming) return { ...node, ...planned };
  const before = node.peers.get(instance.primary) ?? 0;
  const left = before - (instance.reserves ? instance.memory : 0);
  const peers = new Map(node.peers);
  if (left > 0) peers.set(instance.primary, left);
  else peers.delete(instance.primary);
  const reserved = before < node.reserved ? node.reserved : Math.max(0, ...peers.values());
  return {
    ...node,
    ...planned,
    disk: node.disk + instance.disk,
    spindles: spindlesBack(node, node.spindles, instance),
    use: useBack(node, node.use, instance),
    secondaries: without(node.secondaries, instance.index),
    peers,
    reserved,
    failsN1: node.memory <= reserved,
    load: node.load.map((value, kind) => value - (kind === 2 ? 1 : 0)),
  };
}
