/**
 * Verdicts on emptying a node that follow from counting, without a trial.
 *
 * DRBD instances have a closed form. The others certainly fit if one node has room for all of them, and
 * certainly do not if one of them fits nowhere. A placement only removes resources, so a verdict with its
 * needs subtracted everywhere is valid for all placements.
 */

import { fits } from "../fit/misfit.js";
import type { Placement } from "../fit/move.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { mirroring, movesForCapacity } from "../model/disk-template.js";
import type { EmptyingMargins } from "../model/emptying-margins.js";
import type { Instance } from "../model/instance.js";
import { countedVerdicts } from "../model/instance-totals.js";
import { field } from "../model/node-columns.js";
import type { Newcomer } from "./evacuees.js";
import { keepsDestination, type LeavingInstance, overflows, type Room } from "./room-count.js";

export type Verdict = "empties" | "stuck" | "open";

export class EmptyingCount {
  /** Scratch: memory a node's failure moves to each of its secondaries. */
  private readonly memoryTo: Float64Array;

  constructor(
    private readonly cluster: Cluster,
    private readonly newcomer: Newcomer,
  ) {
    this.memoryTo = new Float64Array(cluster.nodeCount);
  }

  /**
   * Verdict on emptying `node`, with the margins subtracted from every other node.
   * @param extra one more DRBD primary, whose secondary is known to have room for it
   */
  verdict(
    node: number,
    memoryMargin: number,
    diskMargin: number,
    extra?: Instance,
    placement?: Placement,
  ): Verdict {
    const { cluster } = this;
    if (cluster.listsTwice) return "open";
    const { exclusiveStorage, offline, migrationTags } = cluster.facts;
    const { memoryTo } = this;
    const secondaries: number[] = [];
    const others: Instance[] = [];
    let regular = true;
    let newcomers = 0;
    for (let at = cluster.primaries[node]; at !== undefined; at = at.rest) {
      const isNewcomer = at.index === this.newcomer.index && placement !== undefined;
      if (at.index === this.newcomer.index && placement === undefined) {
        if (!this.sharesIndex(node)) return "open";
        continue;
      }
      if (isNewcomer && ++newcomers > 1) return "open";
      const instance = isNewcomer ? this.newcomer.instance : cluster.demandOf(at.index);
      const needed = instance.usesMemory ? instance.memoryMib : 0;
      const primary = isNewcomer ? placement.primary : cluster.primaryOf[at.index];
      regular &&= primary === node && needed >= 0 && instance.diskMib >= 0;
      if (instance.data.diskTemplate !== "drbd") {
        others.push(isNewcomer ? this.newcomer.instance : cluster.instanceAt(at.index));
        continue;
      }
      const secondary = (
        isNewcomer ? placement.secondary : cluster.secondaryOf[at.index]
      ) as number;
      if (secondary < 0) return "stuck";
      regular &&= secondary !== node && exclusiveStorage[secondary] === 0;
      if (!secondaries.includes(secondary)) {
        secondaries.push(secondary);
        memoryTo[secondary] = 0;
      }
      memoryTo[secondary] = (memoryTo[secondary] as number) + needed;
    }
    if (extra !== undefined) {
      if (mirroring(extra.data.diskTemplate) !== "internal") others.push(extra);
      else if ((migrationTags[node] as readonly string[]).length > 0) regular = false;
    }
    if (!regular) return "open";
    const mirrored = secondaries.length > 0 || (extra !== undefined && others.at(-1) !== extra);
    if (mirrored && exclusiveStorage[node] === 1) return "open";
    if (mirrored && offline[node] === 0 && cluster.get(node, field.diskFree) - diskMargin <= 0) {
      return "stuck";
    }
    for (const secondary of secondaries) {
      if (!this.canFailOver(node, secondary, memoryMargin, diskMargin)) return "stuck";
    }
    if (others.length === 0) return "empties";
    return this.othersVerdict(node, others, secondaries, memoryMargin, diskMargin);
  }

  /**
   * Whether the node lists an instance whose index is the newcomer's (possible in a named group), and counting can
   * decide all the same. As soon as the newcomer is placed, its index identifies it, so that it leaves this node too:
   * to its secondary, and back to its primary if that is this node. Both have room for it if its needs are subtracted
   * everywhere, so only migration tags could forbid it.
   */
  sharesIndex(node: number): boolean {
    const { cluster, newcomer } = this;
    if (newcomer.index >= cluster.instanceCount) return false;
    return cluster.primaryOf[newcomer.index] === node && this.movesFreely;
  }

  /** O(nodes) at the first call. */
  private get movesFreely(): boolean {
    const { instance } = this.newcomer;
    this.movesFreelyKnown ??=
      instance.data.diskTemplate === "drbd" &&
      (instance.reservesMemory || !instance.usesMemory) &&
      instance.memoryMib >= 0 &&
      instance.diskMib >= 0 &&
      this.cluster.facts.migrationTags.every((tags) => tags.length === 0);
    return this.movesFreelyKnown;
  }
  private movesFreelyKnown: boolean | undefined;

  /** Whether a secondary can take all the mirrored primaries of a node that have it as their secondary. */
  private canFailOver(
    node: number,
    secondary: number,
    memoryMargin: number,
    diskMargin: number,
  ): boolean {
    const { cluster } = this;
    if (!cluster.migrationLegal(node, secondary)) return false;
    if (cluster.get(secondary, field.diskFree) - diskMargin <= 0) return false;
    const needed = this.memoryTo[secondary] as number;
    const left = cluster.get(secondary, field.memoryUnallocated) - needed - memoryMargin;
    return !(left <= 0);
  }

  /**
   * Verdicts for all nodes, counted at once, while nothing has changed since loading. Undefined otherwise.
   */
  verdictsAtRest(
    memoryMib: number,
    diskMib: number,
  ): ((node: number) => Verdict | undefined) | undefined {
    const { cluster, newcomer } = this;
    if (!cluster.isSettled) return undefined;
    const verdictOf = this.countedAtRest(memoryMib, diskMib);
    if (verdictOf === undefined || newcomer.index >= cluster.instanceCount) return verdictOf;
    // The newcomer's index identifies the newcomer, not the instance that has this index now.
    const undecided = cluster.primaryOf[newcomer.index];
    return (node) => (node === undecided ? undefined : verdictOf(node));
  }

  private countedAtRest(
    memoryMib: number,
    diskMib: number,
  ): ((node: number) => Verdict | undefined) | undefined {
    const { instanceTotals, emptyingMargins, facts, rows } = this.cluster;
    if (emptyingMargins !== undefined) {
      return (node) => this.verdictByMargins(emptyingMargins, node, memoryMib, diskMib);
    }
    const verdicts = instanceTotals?.emptying(facts, rows, { memoryMib, diskMib });
    return verdicts && ((node) => countedVerdicts[verdicts[node] as number]);
  }

  private verdictByMargins(
    { decide, memoryLeft, diskLeft }: EmptyingMargins,
    node: number,
    memoryMib: number,
    diskMib: number,
  ): Verdict | undefined {
    if (decide[node] === 0) return undefined;
    const { cluster } = this;
    const isFull =
      cluster.facts.offline[node] === 0 && cluster.get(node, field.diskFree) - diskMib <= 0;
    const isStuck =
      (memoryLeft[node] as number) - memoryMib <= 0 || (diskLeft[node] as number) - diskMib <= 0;
    return isFull || isStuck ? "stuck" : "empties";
  }

  /**
   * Verdict for instances that are not DRBD: moved if their disks can be reached from elsewhere, else
   * re-created; `memoryTo` contains the memory that failovers have used before.
   */
  private othersVerdict(
    node: number,
    others: readonly Instance[],
    secondaries: readonly number[],
    memoryMargin: number,
    diskMargin: number,
  ): Verdict {
    const targets = this.roomiest(node);
    // The newcomer may take a place, and its secondary disk on another node.
    const copies = this.newcomer.instance.data.diskTemplate === "drbd" ? 2 : 1;
    let taken = memoryMargin > 0 || diskMargin > 0 ? copies : 0;
    const before = { memoryMib: memoryMargin, diskMib: copies * diskMargin };
    let sure = true;
    for (const instance of inLeavingOrder(others)) {
      const needs = leaverOf(instance);
      const accepts = this.policiesFor(instance, node);
      let accepting = 0;
      let open = 0;
      for (let i = 0; i < targets.length && open <= taken; i++) {
        const target = targets[i] as number;
        if (target === node) continue;
        if (!this.couldTake(needs, accepts, target, secondaries)) continue;
        accepting++;
        if (this.isOpenTo(needs, target)) open++;
      }
      if (accepting === 0) return "stuck";
      if (open <= taken) {
        const able = targets.filter(
          (target) =>
            target !== node &&
            this.isOpenTo(needs, target) &&
            this.couldTake(needs, accepts, target, secondaries),
        );
        const destinations = able.map((target) => this.destination(target, secondaries));
        sure &&= keepsDestination(needs, destinations, before);
      }
      taken++;
      before.memoryMib += needs.memoryMib;
      before.diskMib += needs.diskMib;
    }
    if (sure) return "empties";
    const all = targets.filter((target) => target !== node);
    const destinations = all.map((target) => this.destination(target, secondaries));
    return overflows(others.map(leaverOf), destinations) ? "stuck" : "open";
  }

  /** If spindles are counted, they may run out before disk does. */
  private isOpenTo({ local }: LeavingInstance, target: number): boolean {
    return !local || this.cluster.facts.exclusiveStorage[target] === 0;
  }

  private destination(target: number, secondaries: readonly number[]): Room {
    return {
      memoryMib: this.memoryLeft(target, secondaries),
      diskMib: this.cluster.get(target, field.diskFree),
    };
  }

  /** Memory left after the instances that fail over to it have arrived. */
  private memoryLeft(target: number, secondaries: readonly number[]): number {
    const memory = this.cluster.get(target, field.memoryUnallocated);
    return secondaries.includes(target) ? memory - (this.memoryTo[target] as number) : memory;
  }

  /** Whether `target` could take an instance with these needs as the first to arrive. */
  private couldTake(
    needs: LeavingInstance,
    accepts: (target: number) => boolean,
    target: number,
    secondaries: readonly number[],
  ): boolean {
    if (this.memoryLeft(target, secondaries) - needs.memoryMib <= 0) return false;
    if (!accepts(target)) return false;
    return !needs.local || this.cluster.get(target, field.diskFree) - needs.diskMib > 0;
  }

  /**
   * Predicate for the nodes of its group that an instance of `node` may move to: by migration tags, or by
   * policy.
   */
  private policiesFor(instance: Instance, node: number): (target: number) => boolean {
    const { cluster } = this;
    if (movesForCapacity(instance.data.diskTemplate)) {
      return (target) => cluster.migrationLegal(node, target);
    }
    const { exclusiveStorage } = cluster.facts;
    const byStorage: (boolean | undefined)[] = [];
    return (target) => {
      const storage = exclusiveStorage[target] as number;
      byStorage[storage] ??= policyVerdict(cluster, instance, target) === fits;
      return byStorage[storage];
    };
  }

  /** All nodes of the group, by initial free memory, most first: those that decide come early. */
  private roomiest(node: number): readonly number[] {
    const { cluster, roomiestByGroup } = this;
    const group = cluster.facts.groupOf[node] as number;
    let sorted = roomiestByGroup.get(group);
    if (sorted === undefined) {
      const room = (other: number) => cluster.get(other, field.memoryUnallocated);
      const nodes = cluster.nodesByGroup[group] as readonly number[];
      sorted = nodes.toSorted((a, b) => room(b) - room(a));
      roomiestByGroup.set(group, sorted);
    }
    return sorted;
  }
  private readonly roomiestByGroup = new Map<number, readonly number[]>();
}

/** Resources that a forced placement requires. */
const leaverOf = ({ usesMemory, memoryMib, local, diskMib }: Instance): LeavingInstance => ({
  memoryMib: usesMemory ? memoryMib : 0,
  diskMib: local ? diskMib : 0,
  local,
});

/** First those that move, then those that are re-created, the largest first. */
function inLeavingOrder(instances: readonly Instance[]): readonly Instance[] {
  const moves = ({ data }: Instance) => movesForCapacity(data.diskTemplate);
  const staying = instances.filter((instance) => !moves(instance));
  return [...instances.filter(moves), ...staying.sort((a, b) => b.memoryMib - a.memoryMib)];
}
