/**
 * Instances moved for trial, to see which nodes can be emptied: on a copy of the cluster, with only
 * the checks that nothing overrides, and taken back afterwards.
 * Source: Ganeti, HTools/Program/Hroller.hs (`move`, `migrate`, `replaceSecondary`).
 */
import type { Cluster } from "../cluster.js";
import type { Instance } from "../instance.js";
import { fits } from "../misfit.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../placing.js";
import { RoomIndex } from "./room-index.js";

/** Where an instance goes: only its primary changes, or only its secondary, or they change roles. */
export interface Step {
  readonly index: number;
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
}

/** A step made, and what to go back to. */
interface Made {
  readonly mark: number;
  readonly before: Step;
  readonly after: Step;
}

export class Rehearsal {
  readonly cluster: Cluster;
  /** By group: its online nodes. */
  private readonly rooms: readonly RoomIndex[];
  private readonly made: Made[] = [];
  private readonly withdrawn: number[] = [];

  constructor(cluster: Cluster) {
    this.cluster = cluster.copy();
    const { facts, nodesByGroup } = this.cluster;
    this.rooms = nodesByGroup.map((nodes) => {
      const online = nodes.filter((node) => facts.offline[node] === 0);
      return new RoomIndex(this.cluster, online);
    });
  }

  /** How many steps have been made. */
  get stepCount(): number {
    return this.made.length;
  }

  /** The steps made since there were `since` of them. */
  stepsSince(since: number): Step[] {
    return this.made.slice(since).map(({ after }) => after);
  }

  seatOf(index: number): Step {
    return {
      index,
      primary: this.cluster.primaryOf[index] as number,
      secondary: this.cluster.secondaryOf[index] as number,
    };
  }

  /** The nodes of a group that a primary (`asPrimary`) or a secondary might fit on, in index order. */
  nodesWithRoom(group: number, index: number, asPrimary: boolean): Iterable<number> {
    const instance = this.cluster.instances[index] as Instance;
    const memory = asPrimary ? (instance.usesMemory ? instance.memoryMib : 0) : -Infinity;
    const disk = instance.local ? instance.diskMib : -Infinity;
    return (this.rooms[group] as RoomIndex).withRoom(memory, disk);
  }

  /** Makes a step if there is room. O(log nodes). */
  make(step: Step): boolean {
    const { cluster } = this;
    const mark = cluster.mark();
    const before = this.seatOf(step.index);
    if (!this.change(before, step)) {
      cluster.rollback(mark);
      return false;
    }
    this.made.push({ mark, before, after: step });
    cluster.relocateEntry(step.index, step.primary, step.secondary, 0);
    this.refresh(before, step);
    return true;
  }

  /** Takes back all steps but the first `stepCount`. */
  takeBack(stepCount: number): void {
    const undone = this.made.splice(stepCount);
    const [oldest] = undone;
    if (oldest === undefined) return;
    this.cluster.rollback(oldest.mark);
    for (const { before } of undone.toReversed()) {
      this.cluster.relocateEntry(before.index, before.primary, before.secondary, 0);
    }
    for (const { before, after } of undone) this.refresh(before, after);
  }

  /** From now on nothing goes to this node. */
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
    return this.rooms[this.cluster.facts.groupOf[node] as number] as RoomIndex;
  }

  private refresh(...seats: readonly Step[]): void {
    for (const { primary, secondary } of seats) {
      this.roomsOf(primary).refresh(primary);
      if (secondary >= 0) this.roomsOf(secondary).refresh(secondary);
    }
  }

  /** Location scores play no part in what is checked here: 0 goes in and out. */
  private change(from: Step, to: Step): boolean {
    const { cluster } = this;
    const { index } = to;
    const instance = cluster.instances[index] as Instance;
    if (from.primary === to.primary) {
      const misfit = addSecondary(cluster, instance, index, to.secondary, to.primary, true);
      if (misfit !== fits) return false;
      removeSecondary(cluster, instance, index, from.secondary, from.primary);
      return true;
    }
    if (from.secondary === to.secondary) {
      if (addPrimary(cluster, instance, index, to.primary, true, 0) !== fits) return false;
      removePrimary(cluster, instance, index, from.primary, 0);
      return true;
    }
    removePrimary(cluster, instance, index, from.primary, 0);
    removeSecondary(cluster, instance, index, from.secondary, from.primary);
    if (addPrimary(cluster, instance, index, to.primary, true, 0) !== fits) return false;
    return addSecondary(cluster, instance, index, to.secondary, to.primary, true) === fits;
  }
}
