/**
 * Allocation on dedicated clusters. If every node has exclusive storage, candidates are compared by the
 * number of instances of the policy's sizes that could still be placed afterwards. Source: Ganeti,
 * HTools/Dedicated.hs.
 */
import type { GroupData, InstanceData, InstanceSpec } from "@ganeti-ts/protocol";
import { fits, type Misfit, MisfitCounts } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { field } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import { unplacedInstance } from "../model/unplaced-instance.js";
import type { Allocated, Place, Solution } from "./allocation.js";
import {
  candidatesIn,
  groupAt,
  hasNetworksFor,
  inNamedGroup,
  networkRefusal,
  selectGroup,
} from "./group-choice.js";
import type { Order } from "./order.js";
import { failure, type RequestOptions, type Result, success } from "./request-options.js";

/** Smaller is better; losses are compared before the disk. */
export interface LostAllocations {
  /** Per size, largest disk first: number of instances that no longer fit on the nodes used. */
  readonly lost: readonly number[];
  /** Free disk left on the nodes used. */
  readonly diskFreeMib: number;
}

export const lostAllocationsText = ({ lost, diskFreeMib }: LostAllocations): string =>
  `([${lost.join(",")}],${diskFreeMib})`;

export function compareLostAllocations(a: LostAllocations, b: LostAllocations): number {
  for (const [i, loss] of a.lost.entries()) {
    const difference = loss - (b.lost[i] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return a.lost.length - b.lost.length || a.diskFreeMib - b.diskFreeMib;
}

/**
 * Whether the metric applies: every node either has exclusive storage or lies outside the relevant groups.
 * These are the groups with exactly this name (not UUID), otherwise all allocable ones.
 */
export function isDedicated({ data }: Cluster, groupName: string | undefined): boolean {
  const matters = ({ name, allocationPolicy }: GroupData) =>
    groupName === undefined ? allocationPolicy !== "unallocable" : name === groupName;
  return data.nodes.every(
    ({ exclusiveStorage, groupIndex }) =>
      exclusiveStorage || !matters(data.groups[groupIndex] as GroupData),
  );
}

export function allocateDedicatedAnywhere(
  cluster: Cluster,
  order: Order,
  options: RequestOptions,
  allowed?: readonly number[],
): Result<Allocated<LostAllocations>> {
  const results = dedicatedResults(cluster, order, options, allowed);
  return selectGroup(cluster, results, [], lostAllocationsText, compareLostAllocations);
}

/** Result for each group with nodes. */
export const dedicatedResults = (
  cluster: Cluster,
  order: Order,
  options: RequestOptions,
  allowed?: readonly number[],
): readonly { readonly group: number; readonly result: Result<Solution<LostAllocations>> }[] =>
  cluster.nodesByGroup.flatMap((nodes, group) =>
    nodes.length === 0 || allowed?.includes(group) === false
      ? []
      : [{ group, result: searchDedicated(cluster, group, order, options) }],
  );

export const allocateDedicatedInGroup = (
  cluster: Cluster,
  order: Order,
  groupName: string,
  options: RequestOptions,
) =>
  inNamedGroup(
    cluster,
    groupName,
    (group) => searchDedicated(cluster, group, order, options),
    lostAllocationsText,
  );

function searchDedicated(
  cluster: Cluster,
  group: number,
  order: Order,
  options: RequestOptions,
): Result<Solution<LostAllocations>> {
  const { instance, requiredNodes } = order;
  if (!hasNetworksFor(groupAt(cluster, group), instance)) {
    return failure(`The ${networkRefusal(groupAt(cluster, group), instance)}`);
  }
  const candidates = candidatesIn(cluster, group, requiredNodes, options.restrictTo);
  if (!candidates.ok) return candidates;
  const search = new DedicatedSearch(cluster, group, instance, options.ignoreSoftErrors);
  const { copies, nodes } = candidates.value;
  return success(copies === 1 ? search.single(nodes) : search.pairs(nodes));
}

export class DedicatedSearch {
  private readonly failures = new MisfitCounts();
  private successes = 0;
  private best: Place<LostAllocations> | undefined;
  private readonly sizes: readonly Instance[];

  constructor(
    private readonly cluster: Cluster,
    private readonly group: number,
    private readonly instance: Instance,
    private readonly force: boolean,
  ) {
    this.sizes = groupAt(cluster, group)
      .policy.minMax.map(({ min }) => min)
      .sort((a, b) => b.diskMib - a.diskMib)
      .map((spec) => makeInstance(specInstance(spec), -1, cluster.tagRules));
  }

  single(nodes: readonly number[]): Solution<LostAllocations> {
    for (const node of nodes) {
      const placed = this.asPrimary(node);
      if (typeof placed === "number") this.failures.add(placed);
      else this.offer({ primary: node, secondary: -1, locationScore: 0, score: placed });
    }
    return this.solution();
  }

  /**
   * Adds up the losses of single nodes, O(nodes²) sums; only pairs that share instances are tried as pairs.
   */
  pairs(nodes: readonly number[]): Solution<LostAllocations> {
    const unrelated = new Map(nodes.map((node) => [node, this.asSecondary(node, -1)] as const));
    for (const primary of nodes) {
      const first = this.asPrimary(primary);
      if (typeof first === "number") {
        this.failures.add(first, nodes.length - 1);
        continue;
      }
      for (const secondary of nodes) {
        if (secondary === primary) continue;
        const peers = this.cluster.peers[secondary] as PeerMap;
        const shares = peers.some(({ node }) => node === primary);
        const second = shares
          ? this.asSecondary(secondary, primary)
          : (unrelated.get(secondary) as LostAllocations | Misfit);
        if (typeof second === "number") this.failures.add(second);
        else
          this.offer({ primary, secondary, locationScore: 0, score: sumOfLosses(first, second) });
      }
    }
    return this.solution();
  }

  private solution(): Solution<LostAllocations> {
    return { failures: this.failures, successes: this.successes, place: this.best };
  }

  asPrimary(node: number): LostAllocations | Misfit {
    const { cluster, instance, force } = this;
    const { policy } = groupAt(cluster, this.group);
    const exclusive = cluster.facts.exclusiveStorage[node] === 1;
    const misfit = policyMisfit(instance, policy, exclusive);
    if (misfit !== fits) return misfit;
    return this.loss(node, () => addPrimary(cluster, instance, -1, node, force, 0));
  }

  asSecondary(node: number, primary: number): LostAllocations | Misfit {
    const { cluster, instance } = this;
    return this.loss(node, () => addSecondary(cluster, instance, -1, node, primary, false));
  }

  private loss(node: number, place: () => Misfit): LostAllocations | Misfit {
    const { cluster } = this;
    const before = this.capacities(node);
    const mark = cluster.mark();
    const misfit = place();
    if (misfit !== fits) return misfit;
    const after = this.capacities(node);
    const diskFreeMib = cluster.get(node, field.diskFree);
    cluster.rollback(mark);
    return { lost: before.map((count, i) => count - (after[i] as number)), diskFreeMib };
  }

  /** Number of instances of each size that fit on the node, one size at a time. */
  private capacities(node: number): number[] {
    return this.sizes.map((size) => {
      // A size without needs fits without limit, before and after.
      if (size.memoryMib <= 0 && size.diskMib <= 0 && size.vcpus <= 0) return 0;
      const mark = this.cluster.mark();
      let count = 0;
      while (addPrimary(this.cluster, size, -1, node, false, 0) === fits) count++;
      this.cluster.rollback(mark);
      return count;
    });
  }

  private offer(place: Place<LostAllocations>): void {
    this.successes++;
    const { best } = this;
    if (best === undefined || compareLostAllocations(best.score, place.score) >= 0)
      this.best = place;
  }
}

export const sumOfLosses = (a: LostAllocations, b: LostAllocations): LostAllocations => ({
  lost: a.lost.map((loss, i) => loss + (b.lost[i] as number)),
  diskFreeMib: a.diskFreeMib + b.diskFreeMib,
});

/** The smallest instance of a policy entry. It has no disks, so spindles never limit it. */
const specInstance = (spec: InstanceSpec): InstanceData =>
  unplacedInstance({
    memoryMib: spec.memoryMib,
    diskMib: spec.diskMib,
    vcpus: spec.cpuCount,
    spindleUse: spec.spindleUse,
    diskTemplate: "plain",
  });
