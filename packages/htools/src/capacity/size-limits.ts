/**
 * Sizes known to be too large for a cluster that is being filled. Placements only use up resources, so these
 * sizes and all larger ones stay too large.
 */

import { fits } from "../fit/misfit.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import {
  isAtLeast,
  shrinkSteps,
  type TrialKind,
  type TrialSpec,
  trialInstance,
  trialSpec,
} from "./trial.js";

export class SizeLimits {
  private readonly tooLarge: TrialSpec[] = [];
  /** One candidate for each group and kind of storage. */
  private readonly candidateKinds: readonly number[];
  /** For each resource, the minimum that all policies accept. */
  private readonly leastSpec: TrialSpec;

  /** @param mayBePlaced false if an instance of this size certainly does not fit now */
  constructor(
    private readonly cluster: Cluster,
    candidates: readonly number[],
    private readonly kind: TrialKind,
    private readonly mayBePlaced: (spec: TrialSpec) => boolean,
  ) {
    this.candidateKinds = oneOfEachKind(cluster, candidates);
    this.leastSpec = leastAccepted(cluster, this.candidateKinds);
  }

  /** Whether the size is known to be too large. */
  isTooLarge(spec: TrialSpec): boolean {
    return this.tooLarge.some((size) => isAtLeast(spec, size));
  }

  /**
   * False if an instance of this size, or a larger one, certainly does not fit. Searches for the smallest
   * such sizes.
   */
  findOut(spec: TrialSpec): boolean {
    if (this.mayBePlaced(spec)) return true;
    if (!this.isAcceptedEverywhere(spec)) return false;
    let size = spec;
    for (const resource of ["diskMib", "vcpus", "spindles", "memoryMib"] as const) {
      size = this.leastTooLarge(size, resource);
    }
    this.tooLarge.push(size);
    return false;
  }

  /**
   * The size with the smallest amount of one resource, in whole steps, that certainly does not fit either.
   */
  private leastTooLarge(size: TrialSpec, resource: keyof TrialSpec): TrialSpec {
    const step = shrinkSteps[resource];
    const smaller = (times: number) => ({ ...size, [resource]: size[resource] - times * step });
    const isTooLarge = (times: number) =>
      this.isAcceptedEverywhere(smaller(times)) && !this.mayBePlaced(smaller(times));
    let tooLarge = 0;
    let unknown = Math.floor((size[resource] - this.leastSpec[resource]) / step) + 1;
    // The whole range first: usually one resource is short, and the others do not matter.
    if (unknown > 1 && isTooLarge(unknown - 1)) return smaller(unknown - 1);
    while (unknown - tooLarge > 1) {
      const middle = Math.floor((tooLarge + unknown) / 2);
      if (isTooLarge(middle)) tooLarge = middle;
      else unknown = middle;
    }
    return smaller(tooLarge);
  }

  /** Whether all candidates' policies accept the size: only then do larger sizes not gain candidates. */
  private isAcceptedEverywhere(spec: TrialSpec): boolean {
    const instance = trialInstance(spec, this.kind, "new", -1);
    return this.candidateKinds.every(
      (node) => policyVerdict(this.cluster, instance, node) === fits,
    );
  }
}

function oneOfEachKind({ facts }: Cluster, candidates: readonly number[]): number[] {
  const { groupOf, exclusiveStorage } = facts;
  const byKind = new Map(
    candidates.map((node) => [`${groupOf[node]} ${exclusiveStorage[node]}`, node]),
  );
  return [...byKind.values()];
}

function leastAccepted({ data, facts }: Cluster, nodes: readonly number[]): TrialSpec {
  const minima = nodes.flatMap((node) => {
    const group = data.groups[facts.groupOf[node] as number];
    return group?.policy.minMax.map(({ min }) => trialSpec(min)) ?? [];
  });
  const least = (resource: keyof TrialSpec) =>
    minima.reduce((most, spec) => Math.max(most, spec[resource]), 1);
  return {
    memoryMib: least("memoryMib"),
    diskMib: least("diskMib"),
    vcpus: least("vcpus"),
    spindles: least("spindles"),
  };
}
