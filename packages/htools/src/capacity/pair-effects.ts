/**
 * Effect of a mirrored instance of one size on the score, for each node as a primary and as a secondary; kept
 * between placements, and recomputed for nodes that a placement changes.
 */

import { sharingReservations } from "../allocate/peer-reservations.js";
import { primaryMisfit, secondaryMisfit } from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { policyVerdict } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { type Measures, measureNode } from "../score/metrics.js";
import type { PairFigures, PeerReservation } from "../score/pair-figures.js";
import { RoleEffects } from "../score/role-effects.js";
import type { ScoreColumns } from "../score/score-columns.js";
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

  isSharing(primary: number, place: number): boolean {
    return this.sharingOf(place).some((known) => known.place === primary);
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
    this.peerReservations[place] = sharingReservations(cluster, instance, this.columns, node);
  }
}
