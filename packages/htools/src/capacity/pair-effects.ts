/**
 * Effect of a mirrored instance of one size on the score, for each node as a primary and as a secondary; kept
 * between placements, and recomputed for nodes that a placement changes.
 */

import {
  memoryReservedFor,
  primaryMisfit,
  reservationMisfit,
  secondaryMisfit,
} from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field } from "../model/node-columns.js";
import type { Peer } from "../model/peer-map.js";
import { at, type Measures, measureNode } from "../score/metrics.js";
import type { PairFigures, PeerReservation } from "../score/pair-figures.js";
import { RoleEffects } from "../score/role-effects.js";
import type { ScoreColumns } from "../score/score-columns.js";
import { peerReservations } from "./assessment.js";
import type { CapacityScope } from "./scope.js";

export class PairEffects implements PairFigures {
  readonly asPrimary: RoleEffects;
  readonly asSecondary: RoleEffects;
  /** By place of the secondary. */
  private readonly peerReservations: (readonly PeerReservation[])[];
  /** Candidate places by group. */
  readonly groups: readonly (readonly number[])[];

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ScoreColumns,
    private readonly scope: CapacityScope,
    private instance: Instance,
  ) {
    const { count } = columns;
    this.asPrimary = new RoleEffects(count);
    this.asSecondary = new RoleEffects(count);
    this.peerReservations = Array.from({ length: count }, () => []);
    this.groups = scope.groups.map((nodes) => nodes.map((node) => columns.placeOfNode(node)));
    this.turnTo(instance);
  }

  hasSharing(place: number): boolean {
    return this.sharingOf(place).length > 0;
  }

  sharingOf(place: number): readonly PeerReservation[] {
    return this.peerReservations[place] as readonly PeerReservation[];
  }

  turnTo(instance: Instance): void {
    this.instance = instance;
    for (const nodes of this.scope.groups) this.refresh(nodes);
  }

  /** Recomputes candidates that have changed; `columns` must be up to date. */
  refresh(nodes: readonly number[]): void {
    for (const node of nodes) {
      const place = this.columns.placeOfNode(node);
      const before = this.columns.measuresAt(place);
      this.lookAtPrimary(node, place, before);
      this.lookAtSecondary(node, place, before);
    }
  }

  private lookAtPrimary(node: number, place: number, before: Measures): void {
    const { cluster, instance } = this;
    this.asPrimary.feasible[place] = 0;
    if (policyVerdict(cluster, instance, node) !== fits) return;
    if (primaryMisfit(cluster, instance, node, false) !== fits) return;
    const mark = cluster.mark();
    addPrimary(cluster, instance, -1, node, true, 0);
    this.asPrimary.note(place, before, measureNode(cluster, node));
    cluster.rollback(mark);
  }

  private lookAtSecondary(node: number, place: number, before: Measures): void {
    const { cluster, instance } = this;
    this.asSecondary.feasible[place] = 0;
    this.peerReservations[place] = [];
    if (secondaryMisfit(cluster, instance, node, -1, false) !== fits) return;
    const mark = cluster.mark();
    addSecondary(cluster, instance, -1, node, -1, true);
    const after = measureNode(cluster, node);
    cluster.rollback(mark);
    this.asSecondary.note(place, before, after);
    const placed = after[at.offlineAll] as number;
    this.peerReservations[place] = peerReservations(cluster, instance, node)
      .filter((peer) => this.columns.placeOfNode(peer.node) >= 0)
      .map((peer) => this.sharing(node, peer, placed, before));
  }

  /**
   * The node is known to fit with an unrelated primary; only the reservation differs, which becomes the
   * largest.
   * @param placed number of its instances then
   */
  private sharing(
    node: number,
    { node: primary, mib }: Peer,
    placed: number,
    before: Measures,
  ): PeerReservation {
    const { cluster, instance } = this;
    const reserved = mib + memoryReservedFor(instance);
    const failsN1 = cluster.get(node, field.memoryUnallocated) <= reserved;
    const from = before[at.reserved] as number;
    const to = reserved / (cluster.facts.memoryTotal[node] as number);
    return {
      place: this.columns.placeOfNode(primary),
      feasible: reservationMisfit(cluster, node, reserved) === fits,
      shift: to - from,
      square: to * to - from * from,
      reservedShift: to - (before[at.reservedTotal] as number),
      n1Shift: (failsN1 ? placed : 0) - (before[at.n1] as number),
    };
  }
}
