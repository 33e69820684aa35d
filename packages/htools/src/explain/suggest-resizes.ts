/** Suggestions to resize the instance: one dimension at a time, by the smallest sufficient amount. */
import type { AllocationChange, InstanceData, InstanceSpec } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { InParts } from "../parts.js";
import type { ChangeTrials } from "./change-trials.js";
import type { Problem } from "./problem.js";
import type { Resize } from "./resize.js";

type Resource = Resize["resource"];

/** Amount of each resource of an instance, and the bounds for it. */
export interface Size {
  readonly resource: Resource;
  readonly value: number;
  /** Change that brings the instance to this bound. */
  readonly toBound: (spec: InstanceSpec) => number;
  /** Minimum amount. */
  readonly least: number;
}

export function sizesOf(data: InstanceData): Size[] {
  const { memoryMib, vcpus, spindleUse, disks } = data;
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  return [
    { resource: "memory", value: memoryMib, toBound: (s) => s.memoryMib - memoryMib, least: 0 },
    { resource: "disk", value: data.diskMib, toBound: (s) => diskToBound(data, s), least: 0 },
    { resource: "vcpus", value: vcpus, toBound: (s) => s.cpuCount - vcpus, least: 0 },
    { resource: "spindles", value: spindles, toBound: (s) => s.spindleUse - spindles, least: 0 },
    {
      resource: "spindle-use",
      value: spindleUse,
      toBound: (s) => s.spindleUse - spindleUse,
      least: 0,
    },
    {
      resource: "disks",
      value: disks.length,
      toBound: (s) => s.diskCount - disks.length,
      least: 0,
    },
  ];
}

/** All larger disks are cut to the bound, or all smaller ones extended to it. */
function diskToBound({ disks }: InstanceData, { diskMib }: InstanceSpec): number {
  const gaps = disks.map(({ sizeMib }) => diskMib - sizeMib);
  const less = gaps.reduce((sum, gap) => sum + Math.min(0, gap), 0);
  return less < 0 ? less : gaps.reduce((sum, gap) => sum + Math.max(0, gap), 0);
}

export function* suggestResizes(
  trials: ChangeTrials,
  { cluster, data, excesses }: Problem,
): InParts<AllocationChange[]> {
  const found: AllocationChange[] = [];
  for (const size of sizesOf(data)) {
    if (!trials.hasTime) break;
    const resize = (by: number): Resize => ({
      kind: "resize",
      instance: data.name,
      resource: size.resource,
      by,
    });
    const guesses = excesses.get(size.resource) ?? [];
    const { less, more } = ceilings(cluster, size);
    const smaller = yield* first(less, (ceiling) =>
      trials.smallest((amount) => [resize(-amount)], guesses, ceiling),
    );
    if (smaller !== undefined) found.push(resize(-smaller));
    const larger = yield* first(more, (ceiling) =>
      trials.smallest((amount) => [resize(amount)], [], ceiling),
    );
    if (larger !== undefined) found.push(resize(larger));
  }
  return found;
}

/** Amounts that reach some bound of a policy, smallest first; and the whole amount. */
function ceilings(cluster: Cluster, { toBound, value, least }: Size) {
  const bounds = cluster.data.groups.flatMap(({ policy }) =>
    policy.minMax.flatMap(({ min }) => toBound(min)),
  );
  const distinct = [...new Set(bounds)].sort((a, b) => Math.abs(a) - Math.abs(b));
  const less = distinct.filter((by) => by < 0).map((by) => -by);
  return {
    less: [...new Set([...less, value - least])].filter((amount) => amount > 0),
    more: distinct.filter((by) => by > 0),
  };
}

function* first<T>(
  items: readonly number[],
  find: (item: number) => InParts<T | undefined>,
): InParts<T | undefined> {
  for (const item of items) {
    const found = yield* find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
