/**
 * Rehearsal of moves, to find nodes that can be emptied: on a copy of the cluster, with hard checks only, and
 * undone afterwards. Source: Ganeti, HTools/Program/Hroller.hs (`move`, `migrate`, `replaceSecondary`).
 */

import { fits } from "../fit/misfit.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { rowLength } from "../model/node-columns.js";
import { RoomIndex } from "./room-index.js";

/** `move`: new primary; `replace`: new secondary; `failover`: the nodes change roles. */
type StepKind = "move" | "replace" | "failover";

/** Placement of an instance after a step. */
export interface Step {
  readonly kind: StepKind;
  readonly index: number;
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
}

type Place = Pick<Step, "primary" | "secondary">;

/** A completed step, with the state before it. */
interface Made {
  readonly mark: number;
  readonly before: Place;
  readonly after: Step;
  /** The node its old secondary was mapped to; undefined if that did not change. */
  readonly wasTakenFor: number | undefined;
}

export class Rehearsal {
  /** Group and storage of a node are those of the node it is mapped to. */
  readonly cluster: Cluster;
  /** By group: its online nodes. */
  private readonly rooms: readonly RoomIndex[];
  private readonly made: Made[] = [];
  private readonly withdrawn: number[] = [];
  /** The original's confusion of nodes: by node, the one it is mapped to; others map to themselves. */
  private readonly takenFor = new Map<number, number>();

  constructor(private readonly original: Cluster) {
    const { facts, nodesByGroup } = original;
    const groupOf = facts.groupOf.slice();
    const exclusiveStorage = facts.exclusiveStorage.slice();
    this.cluster = original.copy({ ...facts, groupOf, exclusiveStorage });
    this.rooms = nodesByGroup.map((nodes) => {
      const online = nodes.filter((node) => facts.offline[node] === 0);
      return new RoomIndex(this.cluster, online);
    });
  }

  /** Number of steps made. */
  get stepCount(): number {
    return this.made.length;
  }

  /** The steps after the first `since`. */
  stepsSince(since: number): Step[] {
    return this.made.slice(since).map(({ after }) => after);
  }

  placeOf(index: number): Place {
    return {
      primary: this.cluster.primaryOf[index] as number,
      secondary: this.cluster.secondaryOf[index] as number,
    };
  }

  /** Nodes mapped to another one, with that one. */
  mistakenNodes(): ReadonlyMap<number, number> {
    return new Map(this.takenFor);
  }

  /** The nodes of a group that the instance might `move` to or `replace` its secondary with, by index. */
  nodesWithRoom(group: number, index: number, kind: "move" | "replace"): Iterable<number> {
    if (this.original.listsTwice) return this.nodesTakenToBeIn(group);
    const instance = this.cluster.instances[index] as Instance;
    const memory = instance.usesMemory ? instance.memoryMib : 0;
    const disk = instance.local ? instance.diskMib : Number.NEGATIVE_INFINITY;
    const rooms = this.rooms[group] as RoomIndex;
    return rooms.withRoom(kind === "move" ? memory : Number.NEGATIVE_INFINITY, disk);
  }

  /** Makes a step if there is room. O(log nodes). */
  make(step: Step): boolean {
    const { cluster } = this;
    const mark = cluster.mark();
    const before = this.placeOf(step.index);
    const wasTakenFor = this.identity(before.secondary);
    if (!this.change(before, step)) {
      cluster.rollback(mark);
      return false;
    }
    const mistakes = wasTakenFor !== this.identity(before.secondary);
    this.made.push({ mark, before, after: step, wasTakenFor: mistakes ? wasTakenFor : undefined });
    cluster.relocateEntry(step.index, step.primary, step.secondary, 0);
    this.refresh(before, step);
    return true;
  }

  /** Undoes all steps but the first `stepCount`. */
  takeBack(stepCount: number): void {
    const undone = this.made.splice(stepCount);
    const [oldest] = undone;
    if (oldest === undefined) return;
    this.cluster.rollback(oldest.mark);
    for (const { before, after, wasTakenFor } of undone.toReversed()) {
      this.cluster.relocateEntry(after.index, before.primary, before.secondary, 0);
      if (wasTakenFor !== undefined) this.take(before.secondary, wasTakenFor);
    }
    for (const { before, after } of undone) this.refresh(before, after);
  }

  /** Excludes a node as a target from now on. */
  withdraw(node: number): void {
    this.withdrawn.push(node);
    this.roomsOf(node).withdraw(node);
  }

  /** Undoes the last withdrawal. */
  offerLast(): void {
    const node = this.withdrawn.pop();
    if (node !== undefined) this.roomsOf(node).offer(node);
  }

  offerAll(): void {
    while (this.withdrawn.length > 0) this.offerLast();
  }

  private roomsOf(node: number): RoomIndex {
    return this.rooms[this.original.facts.groupOf[node] as number] as RoomIndex;
  }

  private refresh(...places: readonly Place[]): void {
    for (const { primary, secondary } of places) {
      this.roomsOf(primary).refresh(primary);
      if (secondary >= 0) this.roomsOf(secondary).refresh(secondary);
    }
  }

  /** Where instances are listed twice, a node that still is a target may be taken for another. */
  private nodesTakenToBeIn(group: number): number[] {
    const { groupOf, offline } = this.cluster.facts;
    const withdrawn = new Set(this.withdrawn);
    return [...groupOf.keys()].filter(
      (node) => groupOf[node] === group && offline[node] === 0 && !withdrawn.has(node),
    );
  }

  /**
   * Location scores play no part in what is checked here: 0 goes in and out. An instance that is
   * listed twice may go to where it is; of that, the original keeps only that it left.
   */
  private change(from: Place, { kind, index, primary, secondary }: Step): boolean {
    const { cluster } = this;
    const mark = cluster.mark();
    const instance = cluster.instances[index] as Instance;
    switch (kind) {
      case "move":
        if (addPrimary(cluster, instance, index, primary, true, 0) !== fits) return false;
        if (from.primary === primary) cluster.rollback(mark);
        removePrimary(cluster, instance, index, from.primary, 0);
        return true;
      case "replace":
        if (addSecondary(cluster, instance, index, secondary, primary, true) !== fits) return false;
        if (from.secondary === secondary) cluster.rollback(mark);
        this.mistake(from.secondary, primary);
        removeSecondary(cluster, instance, index, from.secondary, primary);
        return true;
      case "failover":
        removePrimary(cluster, instance, index, from.primary, 0);
        removeSecondary(cluster, instance, index, from.secondary, from.primary);
        if (addPrimary(cluster, instance, index, primary, true, 0) !== fits) return false;
        return addSecondary(cluster, instance, index, secondary, primary, true) === fits;
    }
  }

  /**
   * Repeats a mistake of the original with every secondary that leaves: the state of the node is overwritten
   * with that of the instance's primary. The node takes no instances any more at this point, unless instances
   * are listed twice; but its name is printed.
   */
  private mistake(node: number, other: number): void {
    const { cluster } = this;
    cluster.save(node);
    const { rows, primaries, secondaries, peers, exclusionTags, locationPairs } = cluster;
    rows.copyWithin(node * rowLength, other * rowLength, (other + 1) * rowLength);
    for (const lists of [primaries, secondaries, peers, exclusionTags, locationPairs]) {
      lists[node] = lists[other] as never;
    }
    this.take(node, this.identity(other));
  }

  private identity(node: number): number {
    return this.takenFor.get(node) ?? node;
  }

  private take(node: number, other: number): void {
    const { groupOf, exclusiveStorage } = this.original.facts;
    if (node === other) this.takenFor.delete(node);
    else this.takenFor.set(node, other);
    this.cluster.facts.groupOf[node] = groupOf[other] as number;
    this.cluster.facts.exclusiveStorage[node] = exclusiveStorage[other] as number;
  }
}
