/** Changes of an instance's size, and the resources they free on its nodes. */
import {
  type AllocationChange,
  type ClusterData,
  type DiskData,
  drbdMetadataMib,
  type InstanceData,
  isMirrored,
} from "@ganeti-ts/protocol";
import { makeInstance } from "../model/instance.js";
import { TagRules } from "../model/tag-rules.js";

export type Resize = Extract<AllocationChange, { kind: "resize" }>;

/** Metadata that DRBD adds to each disk. */
const metadataMib = (data: InstanceData): number =>
  isMirrored(data.diskTemplate) ? drbdMetadataMib : 0;

export function resized(
  data: InstanceData,
  { resource, by }: Omit<Resize, "instance">,
): InstanceData {
  switch (resource) {
    case "memory":
      return { ...data, memoryMib: data.memoryMib + by };
    case "vcpus":
      return { ...data, vcpus: data.vcpus + by };
    case "spindle-use":
      return { ...data, spindleUse: data.spindleUse + by };
    case "disk": {
      const sizes = levelled(
        data.disks.map(({ sizeMib }) => sizeMib),
        by,
      );
      const disks = data.disks.map((disk, at) => ({ ...disk, sizeMib: sizes[at] as number }));
      return { ...data, disks, diskMib: data.diskMib + by };
    }
    case "spindles":
      return { ...data, disks: respindled(data.disks, by) };
    case "disks":
      return by < 0 ? withoutLast(data, -by) : withFurther(data, by);
  }
}

/**
 * Takes from the largest size, or adds to the smallest, one MiB at a time: this brings all sizes within
 * bounds with the smallest change.
 */
function levelled(sizes: readonly number[], by: number): number[] {
  const sign = Math.sign(by);
  const order = sizes
    .map((size, at) => ({ size: sign * size, at }))
    .sort((a, b) => a.size - b.size);
  const result = [...sizes];
  let left = Math.abs(by);
  for (let count = 1; count <= order.length && left > 0; count++) {
    const level = (order[count - 1] as { size: number }).size;
    const step =
      ((order[count]?.size ?? (sign < 0 ? 0 : Number.POSITIVE_INFINITY)) - level) * count;
    const spent = Math.min(left, step);
    for (let k = 0; k < count; k++) {
      const share = Math.floor(spent / count) + (k < spent % count ? 1 : 0);
      const { at } = order[k] as { at: number };
      result[at] = (result[at] as number) + sign * share;
    }
    left -= spent;
  }
  return result;
}

/** Spindles are added to the first disk, taken from the last; disks without a number count as 0. */
function respindled(disks: readonly DiskData[], by: number): DiskData[] {
  const counts = disks.map(({ spindles }) => spindles ?? 0);
  if (by > 0 && counts.length > 0) counts[0] = (counts[0] as number) + by;
  let left = by < 0 ? -by : 0;
  for (let at = counts.length - 1; at >= 0 && left > 0; at--) {
    const taken = Math.min(left, counts[at] as number);
    counts[at] = (counts[at] as number) - taken;
    left -= taken;
  }
  return disks.map((disk, at) => ({ ...disk, spindles: counts[at] as number }));
}

function withoutLast(data: InstanceData, count: number): InstanceData {
  const kept = data.disks.slice(0, Math.max(0, data.disks.length - count));
  const gone = data.disks.slice(kept.length);
  const freed = gone.reduce((sum, { sizeMib }) => sum + sizeMib + metadataMib(data), 0);
  return { ...data, disks: kept, diskMib: Math.max(0, data.diskMib - freed) };
}

/** Further disks equal the last one. */
function withFurther(data: InstanceData, count: number): InstanceData {
  const like = data.disks.at(-1) ?? { sizeMib: 1024, spindles: 1 };
  const disks = [...data.disks, ...Array.from({ length: count }, () => like)];
  return { ...data, disks, diskMib: data.diskMib + count * (like.sizeMib + metadataMib(data)) };
}

/** Updates the free resources of the nodes of an existing instance. */
export function withResized(cluster: ClusterData, at: number, change: Resize): ClusterData {
  const before = cluster.instances[at] as InstanceData;
  const after = resized(before, change);
  const instances = cluster.instances.with(at, after);
  if (before.forthcoming) return { ...cluster, instances };
  const rules = new TagRules([]);
  const was = makeInstance(before, at, rules);
  const is = makeInstance(after, at, rules);
  const disk = was.local ? is.diskMib - was.diskMib : 0;
  const spindles = was.local ? (is.spindles ?? 0) - (was.spindles ?? 0) : 0;
  const memory = was.usesMemory ? is.memoryMib - was.memoryMib : 0;
  const nodes = cluster.nodes.map((node, index) => {
    const primary = index === before.primary;
    if (!primary && index !== before.secondary) return node;
    return {
      ...node,
      memoryFreeMib: node.memoryFreeMib - (primary ? memory : 0),
      diskFreeMib: node.diskFreeMib - disk,
      spindleFree: node.spindleFree - (node.exclusiveStorage ? spindles : 0),
    };
  });
  return { ...cluster, instances, nodes };
}
