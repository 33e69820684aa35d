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
import { field } from "../model/node-columns.js";
import type { PeerMap } from "../model/peer-map.js";
import type { KeptEffects } from "../score/kept-effects.js";
import type { KeptBoard } from "../score/kept-scores.js";
import type { PairFigures, PeerReservation } from "../score/pair-figures.js";
import type { RoleEffects } from "../score/role-effects.js";
import type { ScoreColumns } from "../score/score-columns.js";
import type { Search } from "./allocation.js";
import { peerReservations, sharingReservations } from "./peer-reservations.js";
import { RoleShifts } from "./role-shifts.js";

/**
 * For what `RoleShifts` covers: online nodes of one group, and instances that load each resource alike. O(nodes), and
 * O(components) for each that has changed since the last instance of this shape.
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
  private readonly shifts: RoleShifts;

  constructor(
    private readonly search: Search,
    { columns, pairs }: KeptBoard,
    candidates: readonly number[],
  ) {
    this.cluster = search.cluster;
    this.columns = columns;
    this.needed = memoryReservedFor(search.instance);
    this.shifts = new RoleShifts(search.cluster, search.instance, columns);
    const online = onlinePlaces(search.cluster, columns, candidates[0] as number);
    const isWhole = online.length === candidates.length;
    this.kept = pairs.of(isWhole ? shapeOf(search) : someNodes);
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
    if (primary === fits) this.shifts.notePrimary(asPrimary, node, place);
    if (secondary === fits) this.shifts.noteSecondary(asSecondary, node, place);
    const [largest] = cluster.peers[node] as PeerMap;
    // If the largest reservation fits, smaller ones do.
    const refuses =
      largest !== undefined && reservationMisfit(cluster, node, largest.mib + needed) !== fits;
    kept.refusesSharing[place] = Number(refuses);
    kept.isStale[place] = 0;
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
