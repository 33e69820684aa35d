/**
 * Effects of a new mirrored instance on each candidate node in both roles, computed from the rows of a kept cluster
 * without trials, and kept for the next instance of the same shape.
 */
import {
  memoryReservedFor,
  primaryMisfit,
  reservationMisfit,
  secondaryMisfit,
} from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import { field, rowLength } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import type { KeptEffects } from "../score/kept-effects.js";
import type { KeptBoard } from "../score/kept-scores.js";
import { at } from "../score/metrics.js";
import type { PairFigures, PeerReservation } from "../score/pair-figures.js";
import type { RoleEffects } from "../score/role-effects.js";
import type { ScoreColumns } from "../score/score-columns.js";
import type { Search } from "./allocation.js";
import { peerReservations, sharingReservations } from "./peer-reservations.js";

/**
 * The values after a placement are the same quotients that `measureNode` makes of the changed rows, so that they are
 * equal to the last bit. For online nodes of one group without exclusive storage, and instances that run, have no
 * tags that matter, and load each resource alike. O(nodes), and O(components) for each that has changed since the last
 * instance of this shape.
 */
export class NodeEffects implements PairFigures {
  readonly asPrimary: RoleEffects;
  readonly asSecondary: RoleEffects;
  readonly groups: readonly (readonly number[])[];
  /** By place. */
  readonly kept: KeptEffects;
  private readonly cluster: Cluster;
  private readonly columns: ScoreColumns;
  private readonly needed: number;

  constructor(
    private readonly search: Search,
    { columns, effects }: KeptBoard,
    candidates: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.columns = columns;
    this.needed = memoryReservedFor(search.instance);
    const online = onlinePlaces(search.cluster, columns, candidates[0] as number);
    const isWhole = online.length === candidates.length;
    this.kept = effects.of(isWhole ? shapeOf(search) : someNodes);
    this.asPrimary = this.kept.asPrimary;
    this.asSecondary = this.kept.asSecondary;
    if (!isWhole) this.leaveOut(online);
    const { isStale } = this.kept;
    const places = new Array<number>(candidates.length);
    for (let i = 0; i < candidates.length; i++) {
      const node = candidates[i] as number;
      const place = columns.placeOfNode(node);
      places[i] = place;
      if (isStale[place] === 1) this.renew(node, place);
    }
    this.groups = [places];
  }

  hasSharing(place: number): boolean {
    const node = this.columns.nodes[place] as number;
    const [largest] = this.cluster.peers[node] as PeerMap;
    if (largest === undefined) return false;
    return largest.mib + this.needed > this.cluster.get(node, field.memoryReserved);
  }

  isSharing(primary: number, place: number): boolean {
    if (!this.hasSharing(place)) return false;
    const { nodes } = this.columns;
    const node = nodes[primary] as number;
    const known = peerReservations(
      this.cluster,
      this.search.instance,
      nodes[place] as number,
      (peer) => peer.node === node,
    );
    return known.length > 0;
  }

  sharingOf(
    place: number,
    isWanted: (primary: number, rise: number) => boolean,
  ): readonly PeerReservation[] {
    const { cluster, columns, search, needed } = this;
    const node = columns.nodes[place] as number;
    const usual = Math.max(cluster.get(node, field.memoryReserved), needed);
    const memoryTotal = cluster.facts.memoryTotal[node] as number;
    return sharingReservations(cluster, search.instance, columns, node, (peer) =>
      isWanted(columns.placeOfNode(peer.node), (peer.mib + needed - usual) / memoryTotal),
    );
  }

  /** Makes places fit in no role until they are computed. */
  private leaveOut(places: readonly number[]): void {
    for (const place of places) {
      this.asPrimary.feasible[place] = 0;
      this.asSecondary.feasible[place] = 0;
      this.kept.isStale[place] = 1;
    }
  }

  private renew(node: number, place: number): void {
    const { cluster, kept, needed, asPrimary, asSecondary } = this;
    const { instance, ignoreSoftErrors } = this.search;
    const primary = primaryMisfit(cluster, instance, node, ignoreSoftErrors);
    const secondary = secondaryMisfit(cluster, instance, node, -1, false);
    kept.primaryMisfits[place] = primary;
    kept.secondaryMisfits[place] = secondary;
    asPrimary.feasible[place] = Number(primary === fits);
    asSecondary.feasible[place] = Number(secondary === fits);
    if (primary === fits) this.notePrimary(node, place);
    if (secondary === fits) this.noteSecondary(node, place);
    const [largest] = cluster.peers[node] as PeerMap;
    // If the largest reservation fits, smaller ones do.
    const refuses =
      largest !== undefined && reservationMisfit(cluster, node, largest.mib + needed) !== fits;
    kept.refusesSharing[place] = Number(refuses);
    kept.isStale[place] = 0;
  }

  private notePrimary(node: number, place: number): void {
    const { cluster, search, columns, asPrimary } = this;
    const { instance } = search;
    const { rows, facts } = cluster;
    const row = node * rowLength;
    const memoryTotal = facts.memoryTotal[node] as number;
    const cpuTotal = facts.cpuTotal[node] as number;
    const cpuSpeed = facts.cpuSpeed[node] as number;
    const vcpus = instance.countsVcpus ? instance.vcpus : 0;
    const { load, memoryMib } = instance;
    const value = (column: number) => rows[row + column] as number;
    const memoryLeft = value(field.memoryUnallocated) - memoryMib;
    const plannedLeft = value(field.memoryFreePlanned) - memoryMib;
    this.shift(asPrimary, at.memoryFree, place, memoryLeft / memoryTotal);
    this.shift(asPrimary, at.memoryFreePlanned, place, plannedLeft / memoryTotal);
    const cpus = (used: number) => (used + vcpus) / cpuTotal / cpuSpeed;
    this.shift(asPrimary, at.vcpus, place, cpus(value(field.vcpusUsed)));
    this.shift(asPrimary, at.vcpusPlanned, place, cpus(value(field.vcpusUsedPlanned)));
    this.shift(asPrimary, at.loadCpu, place, value(field.loadCpu) + load.cpu);
    this.shift(asPrimary, at.loadMemory, place, value(field.loadMemory) + load.memory);
    this.shift(asPrimary, at.loadNetwork, place, value(field.loadNetwork) + load.network);
    this.shiftStorage(asPrimary, node, place);
    const failing = memoryLeft <= value(field.memoryReserved);
    const placed = (columns.columns[at.offlineAll] as Float64Array)[place] as number;
    const before = (columns.columns[at.n1] as Float64Array)[place] as number;
    asPrimary.n1Shifts[place] = (failing ? placed + 1 : 0) - before;
    asPrimary.reservedShifts[place] = 0;
  }

  private noteSecondary(node: number, place: number): void {
    const { cluster, columns, asSecondary, needed } = this;
    const { rows, facts } = cluster;
    const row = node * rowLength;
    const value = (component: number) =>
      (columns.columns[component] as Float64Array)[place] as number;
    const reserved = Math.max(rows[row + field.memoryReserved] as number, needed);
    const ratio = reserved / (facts.memoryTotal[node] as number);
    this.shift(asSecondary, at.reserved, place, ratio);
    this.shiftStorage(asSecondary, node, place);
    const failing = (rows[row + field.memoryUnallocated] as number) <= reserved;
    asSecondary.n1Shifts[place] = (failing ? value(at.offlineAll) + 1 : 0) - value(at.n1);
    asSecondary.reservedShifts[place] = ratio - value(at.reservedTotal);
  }

  /** Disk, spindles and the load of disks, which both nodes of a pair take. */
  private shiftStorage(role: RoleEffects, node: number, place: number): void {
    const { rows, facts } = this.cluster;
    const { load, diskMib, spindleUse } = this.search.instance;
    const row = node * rowLength;
    const diskTotal = facts.diskTotal[node] as number;
    const spindlesMax = facts.spindlesMax[node] as number;
    const value = (column: number) => rows[row + column] as number;
    const diskFree = (free: number) => (diskTotal === 0 ? 1 : (free - diskMib) / diskTotal);
    const spindles = (used: number) => (used + spindleUse) / spindlesMax;
    this.shift(role, at.diskFree, place, diskFree(value(field.diskFree)));
    this.shift(role, at.diskFreePlanned, place, diskFree(value(field.diskFreePlanned)));
    this.shift(role, at.spindles, place, spindles(value(field.spindlesUsed)));
    this.shift(role, at.spindlesPlanned, place, spindles(value(field.spindlesUsedPlanned)));
    this.shift(role, at.loadDisk, place, value(field.loadDisk) + load.disk);
  }

  private shift(role: RoleEffects, component: number, place: number, after: number): void {
    const before = (this.columns.columns[component] as Float64Array)[place] as number;
    role.shift(component, place, before, after);
  }
}

/** In place of a shape, for searches among some nodes of a group: their effects are not kept. */
const someNodes = "some nodes";

/** Everything about an instance that its effects depend on, and whether it has to respect soft limits. */
function shapeOf({ instance, ignoreSoftErrors }: Search): string {
  const { memoryMib, diskMib, vcpus, spindleUse, reservesMemory, countsVcpus, load } = instance;
  return [
    ...[memoryMib, diskMib, vcpus, spindleUse, reservesMemory, countsVcpus],
    ...[load.cpu, load.memory, load.disk, load.network, ignoreSoftErrors],
  ].join(" ");
}

/** Places of the online nodes of this node's group. */
function onlinePlaces({ nodesByGroup, facts }: Cluster, columns: ScoreColumns, node: number) {
  const nodes = nodesByGroup[facts.groupOf[node] as number] as readonly number[];
  return nodes.map((one) => columns.placeOfNode(one)).filter((place) => place >= 0);
}
