/** Instances that a capacity run tries to place: their sizes, and the shrinking of sizes. */
import type { DiskTemplate, InstanceSpec } from "@ganeti-ts/protocol";
import { failCpu, failDisk, failMem, failSpindles, type Misfit } from "../fit/misfit.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { TagRules } from "../model/tag-rules.js";

/** A size to try. An instance of it has one disk, of this size and this many spindles. */
export interface TrialSpec {
  readonly memoryMib: number;
  readonly diskMib: number;
  readonly vcpus: number;
  readonly spindles: number;
}

/** Properties common to all instances of a run. */
export interface TrialKind {
  readonly diskTemplate: DiskTemplate;
  readonly spindleUse: number;
}

/** With the number of spindles that the policy allows for an instance. */
export const trialSpec = ({
  memoryMib,
  diskMib,
  cpuCount,
  spindleUse,
}: InstanceSpec): TrialSpec => ({
  memoryMib,
  diskMib,
  vcpus: cpuCount,
  spindles: spindleUse,
});

export const sameSpec = (a: TrialSpec, b: TrialSpec): boolean =>
  a.memoryMib === b.memoryMib &&
  a.diskMib === b.diskMib &&
  a.vcpus === b.vcpus &&
  a.spindles === b.spindles;

export const isAtLeast = (a: TrialSpec, b: TrialSpec): boolean =>
  a.memoryMib >= b.memoryMib &&
  a.diskMib >= b.diskMib &&
  a.vcpus >= b.vcpus &&
  a.spindles >= b.spindles;

const noTags = new TagRules([]);

/** Running, without tags and networks, balanced automatically; not placed yet. */
export const trialInstance = (
  { memoryMib, diskMib, vcpus, spindles }: TrialSpec,
  { diskTemplate, spindleUse }: TrialKind,
  name: string,
  index: number,
): Instance =>
  makeInstance(
    {
      name,
      memoryMib,
      diskMib,
      disks: [{ sizeMib: diskMib, spindles }],
      vcpus,
      spindleUse,
      diskTemplate,
      status: "running",
      autoBalance: true,
      forthcoming: false,
      tags: [],
      networks: [],
      primary: -1,
      secondary: -1,
    },
    index,
    noTags,
  );

/** The resource a size shrinks by, and the step (MiB, vCPUs, spindles). */
export interface Shrinking {
  readonly resource: keyof TrialSpec;
  readonly step: number;
}

export const shrinkSteps: Readonly<Record<keyof TrialSpec, number>> = {
  memoryMib: 64,
  diskMib: 256,
  vcpus: 1,
  spindles: 1,
};

const shrinkings = new Map<Misfit, Shrinking>(
  (
    [
      [failMem, "memoryMib"],
      [failDisk, "diskMib"],
      [failCpu, "vcpus"],
      [failSpindles, "spindles"],
    ] as const
  ).map(([reason, resource]) => [reason, { resource, step: shrinkSteps[resource] }]),
);

/** How to shrink when instances fail for this reason; undefined if no size helps. */
export const shrinkingBy = (reason: Misfit): Shrinking | undefined => shrinkings.get(reason);

/** One step smaller; undefined for reasons that no size helps against, and below one whole step. */
export const shrink = (spec: TrialSpec, reason: Misfit): TrialSpec | undefined =>
  shrinkCount(spec, reason) > 0 ? shrunk(spec, reason, 1) : undefined;

/** Number of times a size can shrink for this reason: at least one whole step must be left. */
export function shrinkCount(spec: TrialSpec, reason: Misfit): number {
  const shrinking = shrinkings.get(reason);
  if (shrinking === undefined) return 0;
  return Math.max(0, Math.floor(spec[shrinking.resource] / shrinking.step) - 1);
}

/** Shrunk this many times. */
export function shrunk(spec: TrialSpec, reason: Misfit, times: number): TrialSpec {
  const shrinking = shrinkings.get(reason);
  if (shrinking === undefined || times === 0) return spec;
  const { resource, step } = shrinking;
  return { ...spec, [resource]: spec[resource] - times * step };
}
