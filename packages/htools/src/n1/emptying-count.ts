/**
 * Verdicts on emptying a node that follow from counting, without a trial.
 *
 * DRBD instances have a closed form. The others certainly fit if one node has room for all of them, and
 * certainly do not if one of them fits nowhere. A placement only removes resources, so a verdict with its
 * needs subtracted everywhere is valid for all placements.
 */

import { isMirrored } from "@ganeti-ts/protocol";
import type { Placement } from "../fit/move.js";
import type { Cluster } from "../model/cluster.js";
import type { EmptyingMargins, RoomByRank } from "../model/emptying-margins.js";
import type { Instance } from "../model/instance.js";
import { countedVerdicts } from "../model/instance-totals.js";
import { field } from "../model/node-columns.js";
import type { Newcomer } from "./evacuees.js";
import {
  inLeavingOrder,
  type KnownPrimaries,
  type Leaver,
  type LeavingPrimaries,
  leaverOf,
  leavingPrimaries,
} from "./leaving-primaries.js";
import type { Margins } from "./margins.js";
import { haveRoom, roomByRank, roomiestFirst } from "./room-by-rank.js";
import { keepsDestination, type LeavingInstance, overflows, type Room } from "./room-count.js";

export type Verdict = "empties" | "stuck" | "open";

export class EmptyingCount {
  /** Scratch: memory a node's failure moves to each of its secondaries; 0 for all others. */
  private readonly memoryTo: Float64Array;

  constructor(
    private readonly cluster: Cluster,
    private readonly newcomer: Newcomer,
    /** If instances only come; see there. */
    private readonly known?: KnownPrimaries,
  ) {
    this.memoryTo = new Float64Array(cluster.nodeCount);
  }

  /**
   * Verdict on emptying `node`, with the margins subtracted from every other node.
   * @param extra one more DRBD primary, whose secondary is known to have room for it
   */
  verdict(node: number, margins: Margins, extra?: Instance, placement?: Placement): Verdict {
    const { cluster } = this;
    if (cluster.listsTwice) return "open";
    const leaving = this.leavingFrom(node, placement);
    if (leaving.skipsNewcomer && !this.sharesIndex(node)) return "open";
    if (leaving.isStuck) return "stuck";
    if (!leaving.isRegular || !this.covers(node, leaving, extra)) return "open";
    this.enter(leaving);
    const verdict = this.verdictOf(node, leaving, margins, extra);
    for (const secondary of leaving.secondaries) this.memoryTo[secondary] = 0;
    return verdict;
  }

  /** The primaries of a node; without a placement of the newcomer, it is left out. */
  leavingFrom(node: number, placement?: Placement): LeavingPrimaries {
    const { cluster, newcomer, known } = this;
    const isListed = newcomer.index >= 0 && newcomer.index < cluster.instanceCount;
    if (known !== undefined && !isListed && placement?.primary !== node) {
      return known.of(cluster, node, newcomer);
    }
    return leavingPrimaries(cluster, node, newcomer, placement);
  }

  /**
   * Whether the node's instances that do not fail over certainly find room: the roomiest nodes, one more than there are
   * of them, each have room for the largest. O(1), after O(n log n) once for each group of n nodes.
   */
  hasRoomForOthers(node: number): boolean {
    const { others, areAccepted, largest, mostMemoryTo } = this.leavingFrom(node);
    if (others.length === 0) return true;
    if (!areAccepted) return false;
    return haveRoom(this.roomOfGroup(node), {
      count: others.length,
      ...largest,
      memoryTaken: mostMemoryTo,
    });
  }

  private roomOfGroup(node: number): RoomByRank {
    const group = this.cluster.facts.groupOf[node] as number;
    const known = this.roomByGroup.get(group);
    if (known !== undefined) return known;
    const room = roomByRank(this.cluster, this.roomiest(node));
    this.roomByGroup.set(group, room);
    return room;
  }
  private readonly roomByGroup = new Map<number, RoomByRank>();

  /** Whether counting covers mirrored instances of the node, one more among them if that is what `extra` is. */
  private covers(
    node: number,
    { secondaries }: LeavingPrimaries,
    extra: Instance | undefined,
  ): boolean {
    const { exclusiveStorage, migrationTags } = this.cluster.facts;
    if (isPair(extra) && (migrationTags[node] as readonly string[]).length > 0) return false;
    return exclusiveStorage[node] === 0 || (secondaries.length === 0 && !isPair(extra));
  }

  private enter({ secondaries, memoryTo }: LeavingPrimaries): void {
    for (let i = 0; i < secondaries.length; i++) {
      this.memoryTo[secondaries[i] as number] = memoryTo[i] as number;
    }
  }

  private verdictOf(
    node: number,
    { secondaries, others }: LeavingPrimaries,
    margins: Margins,
    extra: Instance | undefined,
  ): Verdict {
    const { cluster } = this;
    const mirrors = secondaries.length > 0 || isPair(extra);
    if (mirrors && this.isFull(node, margins.diskMib)) return "stuck";
    for (let i = 0; i < secondaries.length; i++) {
      const secondary = secondaries[i] as number;
      if (!this.canFailOver(node, secondary, margins)) return "stuck";
    }
    const leavers =
      extra === undefined || isPair(extra)
        ? others
        : inLeavingOrder([...others, leaverOf(cluster, extra, node)]);
    return leavers.length === 0 ? "empties" : this.othersVerdict(node, leavers, margins);
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
      isMirrored(instance.data.diskTemplate) &&
      (instance.reservesMemory || !instance.usesMemory) &&
      instance.memoryMib >= 0 &&
      instance.diskMib >= 0 &&
      this.cluster.facts.migrationTags.every((tags) => tags.length === 0);
    return this.movesFreelyKnown;
  }
  private movesFreelyKnown: boolean | undefined;

  /** Whether a secondary can take all the mirrored primaries of a node that have it as their secondary. */
  private canFailOver(node: number, secondary: number, margins: Margins): boolean {
    const { cluster } = this;
    if (!cluster.migrationLegal(node, secondary)) return false;
    if (cluster.get(secondary, field.diskFree) - margins.diskMib <= 0) return false;
    const needed = this.memoryTo[secondary] as number;
    const left = cluster.get(secondary, field.memoryUnallocated) - needed - margins.memoryMib;
    return !(left <= 0);
  }

  /**
   * Verdicts for all nodes, counted at once, while nothing has changed since loading. Undefined otherwise.
   */
  verdictsAtRest(margins: Margins): ((node: number) => Verdict | undefined) | undefined {
    const { cluster, newcomer } = this;
    if (!cluster.isSettled) return undefined;
    const verdictOf = this.countedAtRest(margins);
    if (verdictOf === undefined || newcomer.index >= cluster.instanceCount) return verdictOf;
    // The newcomer's index identifies the newcomer, not the instance that has this index now.
    const undecided = cluster.primaryOf[newcomer.index];
    return (node) => (node === undecided ? undefined : verdictOf(node));
  }

  private countedAtRest(margins: Margins): ((node: number) => Verdict | undefined) | undefined {
    const { instanceTotals, emptyingMargins, facts, rows } = this.cluster;
    if (emptyingMargins !== undefined) {
      return (node) => this.verdictByMargins(emptyingMargins, node, margins);
    }
    const verdicts = instanceTotals?.emptying(facts, rows, margins);
    return verdicts && ((node) => countedVerdicts[verdicts[node] as number]);
  }

  private verdictByMargins(
    kept: EmptyingMargins,
    node: number,
    { memoryMib, diskMib, places }: Margins,
  ): Verdict | undefined {
    const decided = kept.decide[node];
    if (decided === 0) return undefined;
    if (this.cluster.primaries[node] === undefined) return "empties";
    const isStuck =
      (kept.memoryLeft[node] as number) - memoryMib <= 0 ||
      (kept.diskLeft[node] as number) - diskMib <= 0 ||
      this.isFull(node, diskMib);
    if (decided === 1) return isStuck ? "stuck" : "empties";
    const isProved = haveRoom(this.keptRoom(kept, node), {
      count: (kept.otherCount[node] as number) + places,
      memoryMib: kept.otherMemory[node] as number,
      diskMib: kept.otherDisk[node] as number,
      memoryTaken: kept.memoryToOne[node] as number,
    });
    return isProved && !isStuck ? "empties" : undefined;
  }

  private keptRoom({ rooms }: EmptyingMargins, node: number): RoomByRank {
    const group = this.cluster.facts.groupOf[node] as number;
    const room = rooms.get(group) ?? this.roomOfGroup(node);
    rooms.set(group, room);
    return room;
  }

  /** Whether the node lacks the disk space without which its mirrored primaries do not fail over. */
  isFull(node: number, diskMib: number): boolean {
    const { cluster } = this;
    return cluster.facts.offline[node] === 0 && cluster.get(node, field.diskFree) - diskMib <= 0;
  }

  /**
   * Verdict for instances that are not DRBD: moved if their disks can be reached from elsewhere, else
   * re-created; `memoryTo` contains the memory that failovers have used before.
   * @param others in the order in which they leave
   */
  private othersVerdict(
    node: number,
    others: readonly Leaver[],
    { memoryMib, diskTotalMib, places }: Margins,
  ): Verdict {
    const targets = this.roomiest(node);
    // (the newcomer may take a place, and its secondary disk on another node)
    let taken = places;
    const before = { memoryMib, diskMib: diskTotalMib };
    let sure = true;
    for (const needs of others) {
      let accepting = 0;
      let open = 0;
      for (let i = 0; i < targets.length && open <= taken; i++) {
        const target = targets[i] as number;
        if (target === node) continue;
        if (!this.couldTake(needs, target)) continue;
        accepting++;
        if (this.isOpenTo(needs, target)) open++;
      }
      if (accepting === 0) return "stuck";
      if (open <= taken && sure) {
        const able = targets.filter(
          (target) =>
            target !== node && this.isOpenTo(needs, target) && this.couldTake(needs, target),
        );
        const destinations = able.map((target) => this.destination(target));
        sure = keepsDestination(needs, destinations, before);
      }
      taken++;
      before.memoryMib += needs.memoryMib;
      before.diskMib += needs.diskMib;
    }
    if (sure) return "empties";
    const all = targets.filter((target) => target !== node);
    const destinations = all.map((target) => this.destination(target));
    return overflows(others, destinations) ? "stuck" : "open";
  }

  /** If spindles are counted, they may run out before disk does. */
  private isOpenTo({ local }: LeavingInstance, target: number): boolean {
    return !local || this.cluster.facts.exclusiveStorage[target] === 0;
  }

  private destination(target: number): Room {
    return {
      memoryMib: this.memoryLeft(target),
      diskMib: this.cluster.get(target, field.diskFree),
    };
  }

  /** Memory left after the instances that fail over to it have arrived. */
  private memoryLeft(target: number): number {
    return this.cluster.get(target, field.memoryUnallocated) - (this.memoryTo[target] as number);
  }

  /** Whether `target` could take an instance with these needs as the first to arrive. */
  private couldTake(needs: Leaver, target: number): boolean {
    if (this.memoryLeft(target) - needs.memoryMib <= 0) return false;
    if (!needs.accepts(target)) return false;
    return !needs.local || this.cluster.get(target, field.diskFree) - needs.diskMib > 0;
  }

  /** All nodes of the group, by initial free memory, most first: those that decide come early. */
  private roomiest(node: number): readonly number[] {
    const { cluster, roomiestByGroup } = this;
    const group = cluster.facts.groupOf[node] as number;
    let sorted = roomiestByGroup.get(group);
    if (sorted === undefined) {
      sorted = roomiestFirst(cluster, group);
      roomiestByGroup.set(group, sorted);
    }
    return sorted;
  }
  private readonly roomiestByGroup = new Map<number, readonly number[]>();
}

const isPair = (instance: Instance | undefined): boolean =>
  instance !== undefined && isMirrored(instance.data.diskTemplate);
