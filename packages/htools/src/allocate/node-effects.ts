/**
 * Effects of a new mirrored instance on each candidate node in both roles, computed from the rows of a kept cluster
 * without trials.
 */
import { memoryReservedFor, primaryMisfit, secondaryMisfit } from "../fit/fitting.js";
import { fits, type Misfit } from "../fit/misfit.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { field, rowLength } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
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
 * tags that matter, and load each resource alike. O(nodes x components).
 */
export class NodeEffects implements PairFigures {
  readonly asPrimary: RoleEffects;
  readonly asSecondary: RoleEffects;
  readonly groups: readonly (readonly number[])[];
  /** By position among the candidates: the misfit as a primary, and as the secondary of an unrelated primary. */
  readonly primaryMisfits: Int8Array;
  readonly secondaryMisfits: Int8Array;
  private readonly cluster: Cluster;
  private readonly columns: ScoreColumns;
  private readonly needed: number;

  constructor(
    private readonly search: Search,
    { columns, asPrimary, asSecondary }: KeptBoard,
    candidates: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.columns = columns;
    this.asPrimary = asPrimary;
    this.asSecondary = asSecondary;
    this.needed = memoryReservedFor(search.instance);
    this.primaryMisfits = new Int8Array(candidates.length);
    this.secondaryMisfits = new Int8Array(candidates.length);
    asPrimary.feasible.fill(0);
    asSecondary.feasible.fill(0);
    const policy = this.policyOf(candidates[0] as number);
    const places = new Array<number>(candidates.length);
    for (let i = 0; i < candidates.length; i++) {
      const node = candidates[i] as number;
      const place = columns.placeOfNode(node);
      places[i] = place;
      this.primaryMisfits[i] = policy === fits ? this.tryPrimary(node, place) : policy;
      this.secondaryMisfits[i] = this.trySecondary(node, place);
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

  /** The same for all nodes of a group without exclusive storage. */
  private policyOf(node: number): Misfit {
    const { data, facts } = this.cluster;
    const group = data.groups[facts.groupOf[node] as number] as (typeof data.groups)[number];
    return policyMisfit(this.search.instance, group.policy, false);
  }

  private tryPrimary(node: number, place: number): Misfit {
    const { cluster, search, columns, asPrimary } = this;
    const { instance } = search;
    const misfit = primaryMisfit(cluster, instance, node, search.ignoreSoftErrors);
    if (misfit !== fits) return misfit;
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
    asPrimary.feasible[place] = 1;
    return fits;
  }

  private trySecondary(node: number, place: number): Misfit {
    const { cluster, columns, asSecondary, needed } = this;
    const misfit = secondaryMisfit(cluster, this.search.instance, node, -1, false);
    if (misfit !== fits) return misfit;
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
    asSecondary.feasible[place] = 1;
    return fits;
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
