/**
 * Global N+1: whether, after a tentative placement, every node could still be emptied.
 *
 * Emptying a node is simulated step by step as Ganeti does (HTools/GlobalN1.hs), but only where
 * counting does not decide: DRBD instances have a closed form, and the others surely find a place
 * if one node has room for all of them, surely not if one of them finds none. A placement only
 * takes resources away, so what is decided with its needs subtracted everywhere is decided for all.
 */
import { moveToBest } from "./best-target.js";
import { type Cluster, field } from "./cluster.js";
import { mirroring, movesForCapacity } from "./disk-template.js";
import { type Instance, makeInstance } from "./instance.js";
import { fits } from "./misfit.js";
import { failover, moveTo, type Seat } from "./move.js";
import { addPrimary } from "./placing.js";
import { policyMisfit } from "./policy-check.js";
import { type Newcomer, type Resident, residentAt, residentsOf } from "./residents.js";
import { ScoreBoard } from "./score-board.js";
import { type Leaver, overflows, type Room, staysOpen } from "./shelter.js";
import { TagRules } from "./tag-rules.js";

type Verdict = "empties" | "stuck" | "open";

/** A node of which the state before the placement does not tell that it empties after any. */
interface Uncertain {
  readonly node: number;
  /** Wherever the newcomer goes, as long as its primary is not one this node relies on. */
  readonly atRest: Verdict;
  /** The nodes its instances go to; undefined: any node of its group. */
  readonly reliesOn: ReadonlySet<number> | undefined;
}

export class CapacityCheck {
  private readonly uncertain: Uncertain[];
  /** A node is stuck already: no placement can pass. */
  readonly hopeless: boolean;
  private readonly examined: Uint8Array;
  /** Scratch of `verdict`: memory a node's failure moves to each of its secondaries. */
  private readonly memoryTo: Float64Array;
  private readonly memoryMargin: number;
  private readonly diskMargin: number;

  /**
   * Looks at the cluster as it is before the placement. Cost: O(nodes + instances), O(nodes²) with shared storage.
   * @param nodes that are to be possible to empty
   * @param scored nodes by whose score places are chosen for instances that are re-created
   */
  constructor(
    private readonly cluster: Cluster,
    nodes: readonly number[],
    private readonly newcomer: Newcomer,
    private readonly scored: readonly number[] = nodes,
  ) {
    const { instance } = newcomer;
    this.memoryMargin = instance.usesMemory ? Math.max(0, instance.memoryMib) : 0;
    this.diskMargin = instance.local ? Math.max(0, instance.diskMib) : 0;
    this.memoryTo = new Float64Array(cluster.nodeCount);
    this.examined = new Uint8Array(cluster.nodeCount);
    for (const node of nodes) this.examined[node] = 1;
    this.uncertain = nodes
      .filter((node) => this.verdict(node, this.memoryMargin, this.diskMargin) !== "empties")
      .map((node) => this.describe(node));
    this.hopeless = this.uncertain.some(({ node }) => this.verdict(node, 0, 0) === "stuck");
  }

  /**
   * Whether every placement with this primary passes (true), none does (false), or it depends on
   * the secondary. A secondary only takes disk, and is known to have memory for the newcomer.
   */
  decidedFor(primary: number): boolean | undefined {
    if (this.hopeless) return false;
    const verdicts = [this.primaryVerdict(primary), ...this.verdictsBeside(primary)];
    if (verdicts.includes("stuck")) return false;
    return verdicts.every((verdict) => verdict === "empties") ? true : undefined;
  }

  /** Of the primary itself, whichever node is the secondary. */
  private primaryVerdict(primary: number): Verdict {
    if (this.examined[primary] === 0) return "empties";
    const { instance } = this.newcomer;
    const verdict = this.verdict(primary, this.memoryMargin, this.diskMargin, instance);
    if (verdict === "empties") return "empties";
    return this.verdict(primary, 0, 0, instance) === "stuck" ? "stuck" : "open";
  }

  /** Of the other uncertain nodes with the newcomer on its primary. */
  private verdictsBeside(primary: number): Verdict[] {
    const verdicts: Verdict[] = [];
    const affected: number[] = [];
    for (const one of this.uncertain) {
      if (one.node === primary) continue;
      if (relies(one, primary)) affected.push(one.node);
      else verdicts.push(one.atRest);
    }
    if (affected.length === 0) return verdicts;
    const { cluster, newcomer } = this;
    const mark = cluster.mark();
    addPrimary(cluster, newcomer.instance, newcomer.index, primary, true, 0);
    for (const node of affected) {
      if (this.verdict(node, 0, 0) === "stuck") verdicts.push("stuck");
      else verdicts.push(this.verdict(node, 0, this.diskMargin) === "empties" ? "empties" : "open");
    }
    cluster.rollback(mark);
    return verdicts;
  }

  private describe(node: number): Uncertain {
    const { cluster } = this;
    const reliesOn = new Set<number>();
    let mirroredOnly = true;
    for (let at = cluster.primaries[node]; at !== undefined; at = at.rest) {
      const { instance, seat } = residentAt(cluster, at.index, this.newcomer, undefined);
      mirroredOnly &&= mirroring(instance.data.diskTemplate) === "internal";
      reliesOn.add(seat.secondary);
    }
    const atRest = this.verdict(node, 0, this.diskMargin) === "empties" ? "empties" : "open";
    return { node, atRest, reliesOn: mirroredOnly ? reliesOn : undefined };
  }

  /** Whether every node can be emptied now that the newcomer sits on its nodes. */
  passes(seat: Seat): boolean {
    if (this.hopeless) return false;
    const { primary } = seat;
    for (const [i, one] of this.uncertain.entries()) {
      if (one.node !== primary && !relies(one, primary) && one.atRest === "empties") continue;
      if (this.empties(one.node, seat)) continue;
      // The next placement likely fails at the same node.
      this.uncertain.splice(i, 1);
      this.uncertain.unshift(one);
      return false;
    }
    const seen = this.uncertain.some(({ node }) => node === primary);
    return seen || this.examined[primary] === 0 || this.empties(primary, seat);
  }

  /** Nodes that cannot be emptied while nobody comes. */
  stuckAtRest(): number[] {
    return this.uncertain.map(({ node }) => node).filter((node) => !this.empties(node, nowhere));
  }

  /** Whether counting tells that some of `nodes` cannot be emptied, now or with more instances placed. */
  static isHopeless(cluster: Cluster, nodes: readonly number[]): boolean {
    const check = new CapacityCheck(cluster, [], nobody);
    return nodes.some((node) => check.verdict(node, 0, 0) === "stuck");
  }

  /** Whether all of `nodes` can be emptied while nobody comes; places are chosen by the score of `scored`. */
  static canBeEmptied(
    cluster: Cluster,
    nodes: readonly number[],
    scored: readonly number[],
  ): boolean {
    const check = new CapacityCheck(cluster, [], nobody, scored);
    const open: number[] = [];
    for (const node of nodes) {
      const verdict = check.verdict(node, 0, 0);
      if (verdict === "stuck") return false;
      if (verdict === "open") open.push(node);
    }
    return open.every((node) => check.emptiesStepByStep(node, nowhere));
  }

  private empties(node: number, seat: Seat): boolean {
    const verdict = this.verdict(node, 0, 0, undefined, seat);
    return verdict === "open" ? this.emptiesStepByStep(node, seat) : verdict === "empties";
  }

  /**
   * What counting tells of emptying `node`, with the margins taken off every other node.
   * @param extra one more DRBD primary, whose secondary is known to have room for it
   */
  private verdict(
    node: number,
    memoryMargin: number,
    diskMargin: number,
    extra?: Instance,
    seat?: Seat,
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
      const isNewcomer = at.index === this.newcomer.index && seat !== undefined;
      // The newcomer's index means it as soon as it is placed, whoever has that index now.
      if (at.index === this.newcomer.index && seat === undefined) return "open";
      if (isNewcomer && ++newcomers > 1) return "open";
      const instance = isNewcomer
        ? this.newcomer.instance
        : (cluster.instances[at.index] as Instance);
      const needed = instance.usesMemory ? instance.memoryMib : 0;
      const primary = isNewcomer ? seat.primary : cluster.primaryOf[at.index];
      regular &&= primary === node && needed >= 0 && instance.diskMib >= 0;
      if (instance.data.diskTemplate !== "drbd") {
        others.push(instance);
        continue;
      }
      const secondary = (isNewcomer ? seat.secondary : cluster.secondaryOf[at.index]) as number;
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
      if (!cluster.migrationLegal(node, secondary)) return "stuck";
      if (cluster.get(secondary, field.diskFree) - diskMargin <= 0) return "stuck";
      const needed = memoryTo[secondary] as number;
      const left = cluster.get(secondary, field.memoryUnallocated) - needed - memoryMargin;
      if (left <= 0) return "stuck";
    }
    if (others.length === 0) return "empties";
    return this.othersVerdict(node, others, secondaries, memoryMargin, diskMargin);
  }

  /**
   * The instances that are not DRBD: moved if their disks can be reached from elsewhere, else
   * re-created; `memoryTo` has what the secondaries of the others have taken before.
   */
  private othersVerdict(
    node: number,
    others: readonly Instance[],
    secondaries: readonly number[],
    memoryMargin: number,
    diskMargin: number,
  ): Verdict {
    const targets = this.roomiest(node);
    // Who is not there yet may take a place, and its secondary disk elsewhere.
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
        const shelters = able.map((target) => this.shelter(target, secondaries));
        sure &&= staysOpen(needs, shelters, before);
      }
      taken++;
      before.memoryMib += needs.memoryMib;
      before.diskMib += needs.diskMib;
    }
    if (sure) return "empties";
    const all = targets.filter((target) => target !== node);
    const shelters = all.map((target) => this.shelter(target, secondaries));
    return overflows(others.map(leaverOf), shelters) ? "stuck" : "open";
  }

  /** Where spindles are counted they may run out before disk does. */
  private isOpenTo({ local }: Leaver, target: number): boolean {
    return !local || this.cluster.facts.exclusiveStorage[target] === 0;
  }

  private shelter(target: number, secondaries: readonly number[]): Room {
    return {
      memoryMib: this.memoryLeft(target, secondaries),
      diskMib: this.cluster.get(target, field.diskFree),
    };
  }

  /** After those have come that fail over to it. */
  private memoryLeft(target: number, secondaries: readonly number[]): number {
    const memory = this.cluster.get(target, field.memoryUnallocated);
    return secondaries.includes(target) ? memory - (this.memoryTo[target] as number) : memory;
  }

  /** Whether `target` could take an instance that needs this much if it were the first to come. */
  private couldTake(
    needs: Leaver,
    accepts: (target: number) => boolean,
    target: number,
    secondaries: readonly number[],
  ): boolean {
    if (this.memoryLeft(target, secondaries) - needs.memoryMib <= 0) return false;
    if (!accepts(target)) return false;
    return !needs.local || this.cluster.get(target, field.diskFree) - needs.diskMib > 0;
  }

  /** Which nodes of its group an instance of `node` may go to: by migration tags, or by policy. */
  private policiesFor(instance: Instance, node: number): (target: number) => boolean {
    const { cluster } = this;
    if (movesForCapacity(instance.data.diskTemplate)) {
      return (target) => cluster.migrationLegal(node, target);
    }
    const { exclusiveStorage } = cluster.facts;
    const byStorage: (boolean | undefined)[] = [];
    return (target) => {
      const storage = exclusiveStorage[target] as number;
      byStorage[storage] ??= policyMisfit(instance, this.policyOf(target), storage === 1) === fits;
      return byStorage[storage];
    };
  }

  /** Tries it, and takes everything back. */
  private emptiesStepByStep(node: number, seat: Seat): boolean {
    const { mirrored, moving, staying } = residentsOf(this.cluster, node, this.newcomer, seat);
    const mark = this.cluster.mark();
    const emptied =
      mirrored.every((one) => this.failsOver(one)) &&
      this.moveAll(node, moving) &&
      this.recreateAll(node, staying);
    this.cluster.rollback(mark);
    return emptied;
  }

  private failsOver(resident: Resident): boolean {
    if (resident.seat.secondary < 0) return false;
    const moved = failover(this.cluster, resident.instance, resident.seat, true);
    if (moved.ok) resident.seat = moved.seat;
    return moved.ok;
  }

  private moveAll(node: number, residents: readonly Resident[]): boolean {
    if (residents.length === 0) return true;
    const { cluster } = this;
    const group = cluster.nodesByGroup[cluster.facts.groupOf[node] as number] as readonly number[];
    const board = new ScoreBoard(cluster, group);
    const targets = this.escapeNodes(node);
    return residents.every((resident) => {
      const { instance, seat } = resident;
      const moved = moveToBest(cluster, board, targets, [seat.primary], (target) =>
        moveTo(cluster, instance, seat, target, true),
      );
      if (!moved.ok) return false;
      board.refresh([seat.primary, moved.target]);
      resident.seat = moved.seat;
      return true;
    });
  }

  /** Places each anew on another node; the old one is not given back. */
  private recreateAll(node: number, residents: readonly Resident[]): boolean {
    if (residents.length === 0) return true;
    const { cluster } = this;
    const board = new ScoreBoard(cluster, this.scored);
    const targets = this.escapeNodes(node);
    return residents.every(({ instance, seat }) => {
      const accepting = targets.filter((target) => {
        const exclusive = cluster.facts.exclusiveStorage[target] === 1;
        return policyMisfit(instance, this.policyOf(target), exclusive) === fits;
      });
      const placed = moveToBest(cluster, board, accepting, [], (target) => {
        const { locationScore } = seat;
        const misfit = addPrimary(cluster, instance, instance.index, target, true, locationScore);
        if (misfit !== fits) return { ok: false, misfit };
        return { ok: true, seat: { primary: target, secondary: -1, locationScore } };
      });
      if (placed.ok) board.refresh([placed.target]);
      return placed.ok;
    });
  }

  /** All other nodes of the group, whatever their state. */
  private escapeNodes(node: number): readonly number[] {
    const { nodesByGroup, facts } = this.cluster;
    const group = nodesByGroup[facts.groupOf[node] as number] as readonly number[];
    return group.filter((other) => other !== node);
  }

  /** All nodes of the group, most memory first as they were at first: those that decide come early. */
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

  private policyOf(node: number) {
    const { data, facts } = this.cluster;
    return (data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number]).policy;
  }
}

/**
 * Of these nodes, those whose instances would not all find another place; tried out one node at a
 * time. Nodes to re-create instances on are chosen by the score of `nodes`.
 */
export const stuckNodes = (cluster: Cluster, nodes: readonly number[]): number[] =>
  new CapacityCheck(cluster, nodes, nobody).stuckAtRest();

/** Takes nothing, and is listed nowhere. */
const nobody: Newcomer = {
  instance: makeInstance(
    {
      name: "",
      memoryMib: 0,
      diskMib: 0,
      disks: [],
      vcpus: 0,
      spindleUse: 0,
      diskTemplate: "diskless",
      status: "ADMIN_offline",
      autoBalance: false,
      forthcoming: false,
      tags: [],
      networks: [],
      primary: -1,
      secondary: -1,
    },
    -1,
    new TagRules([]),
  ),
  index: -1,
};
const nowhere: Seat = { primary: -1, secondary: -1, locationScore: 0 };

/** What a forced placement asks for. */
const leaverOf = ({ usesMemory, memoryMib, local, diskMib }: Instance): Leaver => ({
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

const relies = ({ reliesOn }: Uncertain, primary: number): boolean =>
  reliesOn === undefined || reliesOn.has(primary);
