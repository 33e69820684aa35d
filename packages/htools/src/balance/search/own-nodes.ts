/**
 * Measurement of the effect of moves on the nodes that an instance is on now, which is the same for all targets.
 * Columns follow from the instance's costs; the rest is measured by removing the instance and adding it again as
 * the move would. Cost: O(1) per instance.
 */

import { fits } from "../../fit/misfit.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../../fit/placing.js";
import type { Cluster } from "../../model/cluster.js";
import { lengthOf } from "../../model/index-list.js";
import { field, rowLength } from "../../model/node-columns.js";
import { at, weights } from "../../score/metrics.js";
import type { ColumnSet } from "./column-set.js";
import type { MirrorNode } from "./mirror-node.js";
import { kindAt, kindCount } from "./move-kinds.js";
import type { Victim } from "./victim.js";
import type { VictimTable } from "./victim-table.js";

/** A node's terms of the score that have no column, weighted except for the reserved memory. */
interface NodeTerms {
  linear: number;
  /** As a share of all memory. */
  reserved: number;
}

export class OwnNodeMeasurer {
  /** Kinds of moves that the victim's own nodes allow, as bits. */
  private possible = 0;
  private readonly primaryBefore: NodeTerms = { linear: 0, reserved: 0 };
  private readonly secondaryBefore: NodeTerms = { linear: 0, reserved: 0 };
  private readonly after: NodeTerms = { linear: 0, reserved: 0 };

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
    private readonly table: VictimTable,
    /** By node: 1 if it counts in the score. */
    private readonly scored: Uint8Array,
    /** Skips the soft checks. */
    private readonly force: boolean,
  ) {}

  /** Writes the effects of each kind of move into the victim's row of the table. */
  measure(victim: Victim): void {
    const { cluster, table } = this;
    const { instance, placement, isPair, row } = victim;
    const { index } = instance;
    const { primary, secondary } = placement;
    this.possible = 0;
    this.read(primary, this.primaryBefore);
    if (isPair) this.read(secondary, this.secondaryBefore);
    table.clearNodes(row);
    this.enterColumns(victim);
    const mark = cluster.mark();
    cluster.keepsOnlyLengths = true;
    removePrimary(cluster, instance, index, primary, placement.locationScore);
    if (isPair) {
      removeSecondary(cluster, instance, index, secondary, primary);
      victim.oldPrimary = this.mirrorNode(victim, primary);
      victim.oldSecondary = this.mirrorNode(victim, secondary);
      this.settle(victim);
    } else this.allow(victim, kindAt.failoverToAny);
    cluster.rollback(mark);
    cluster.keepsOnlyLengths = false;
    table.noteRanges(row);
    victim.kinds &= this.possible;
    victim.leastLinear = this.leastLinear(victim);
    victim.isKnown = true;
  }

  /** Minimum over all targets: a target never adds a negative amount. */
  private leastLinear(victim: Victim): number {
    let least = Number.POSITIVE_INFINITY;
    for (let kind = 0; kind < kindCount; kind++) {
      if (victim.can(kind)) {
        least = Math.min(least, this.table.get(victim.row, this.table.linear, kind));
      }
    }
    return least;
  }

  /**
   * Measures the kinds of moves of a pair, which has been removed from both nodes. The mirror node's
   * reservation for the primary is left out, because it depends on the target.
   */
  private settle(victim: Victim): void {
    const { cluster, force } = this;
    const { instance, placement } = victim;
    const { primary, secondary } = placement;
    const { offline } = cluster.facts;
    const { index } = instance;
    const away = offline[primary] === 1;
    const leaving = force || away;
    const mark = cluster.mark();
    if (addPrimary(cluster, instance, index, primary, true, 0) === fits) {
      this.allow(victim, kindAt.replaceSecondary);
    }
    cluster.rollback(mark);
    const kept = force || offline[secondary] === 1;
    if (addSecondary(cluster, instance, index, primary, -1, kept) === fits) {
      this.allow(victim, kindAt.replaceAndFailover);
    }
    cluster.rollback(mark);
    if (!cluster.migrationLegal(primary, secondary)) return;
    if (addPrimary(cluster, instance, index, secondary, leaving, 0) !== fits) return;
    this.allow(victim, kindAt.failoverAndReplace);
    const running = cluster.mark();
    if (addSecondary(cluster, instance, index, primary, secondary, leaving, away) === fits) {
      this.allow(victim, kindAt.failover);
      this.keepLocations(victim);
    }
    cluster.rollback(running);
    removePrimary(cluster, instance, index, secondary, 0);
    if (addSecondary(cluster, instance, index, secondary, -1, leaving) === fits) {
      this.allow(victim, kindAt.replacePrimary);
    }
    cluster.rollback(mark);
  }

  /** Only a failover keeps the locations shared by the instance's nodes; they were left out before. */
  private keepLocations({ row, placement, instance }: Victim): void {
    const { table, columns } = this;
    if (instance.forthcoming || (columns.placeOf[placement.secondary] as number) < 0) return;
    const linearAt = row + table.linear + kindAt.failover;
    const term = (weights[at.location] as number) * placement.locationScore;
    table.data[linearAt] = (table.data[linearAt] as number) + term;
  }

  /** Records the effects of a kind of move that these nodes allow. */
  private allow(victim: Victim, kind: number): void {
    this.possible |= 1 << kind;
    this.note(victim, kind, victim.placement.primary, this.primaryBefore);
    if (victim.isPair) this.note(victim, kind, victim.placement.secondary, this.secondaryBefore);
  }

  private note({ row }: Victim, kind: number, node: number, before: NodeTerms): void {
    const { columns, table, after } = this;
    this.read(node, after);
    const linearAt = row + table.linear + kind;
    table.data[linearAt] = (table.data[linearAt] as number) + after.linear - before.linear;
    const place = columns.placeOf[node] as number;
    if (place < 0) return;
    const figure = columns.figures[place * columns.width + columns.reservedAt] as number;
    const shift = after.reserved - before.reserved;
    table.addShift(row, table.reservedShifts, table.reservedSquares, kind, figure, shift);
  }

  private read(node: number, terms: NodeTerms): void {
    const { cluster } = this;
    terms.linear = 0;
    if (this.scored[node] === 0) return;
    const { rows } = cluster;
    const row = node * rowLength;
    const primaries = lengthOf(cluster.primaries[node]);
    const placed = primaries + lengthOf(cluster.secondaries[node]);
    if ((this.columns.placeOf[node] as number) < 0) {
      terms.linear =
        (weights[at.offlineAll] as number) * placed +
        (weights[at.offlinePrimary] as number) * primaries;
      return;
    }
    const memory = cluster.facts.memoryTotal[node] as number;
    terms.reserved = (rows[row + field.memoryReserved] as number) / memory;
    terms.linear =
      (weights[at.n1] as number) * (rows[row + field.failsN1] === 1 ? placed : 0) +
      (weights[at.tags] as number) * (rows[row + field.tagScore] as number) +
      (weights[at.location] as number) * (rows[row + field.locationScore] as number) +
      (weights[at.reservedTotal] as number) * terms.reserved;
  }

  private enterColumns(victim: Victim): void {
    const { columns, table } = this;
    const { bothCount, reservedAt } = columns;
    const { placement, isPair } = victim;
    const { leavingShifts, leavingSquares, exchangeShifts, exchangeSquares } = table;
    this.share(victim, placement.primary, -1, leavingShifts, leavingSquares, 0, reservedAt);
    if (!isPair) return;
    this.share(
      victim,
      placement.primary,
      -1,
      exchangeShifts,
      exchangeSquares,
      bothCount,
      reservedAt,
    );
    this.share(victim, placement.secondary, -1, exchangeShifts, exchangeSquares, 0, bothCount);
    this.share(
      victim,
      placement.secondary,
      1,
      exchangeShifts,
      exchangeSquares,
      bothCount,
      reservedAt,
    );
  }

  /** Adds to some columns of two parts of the table the resources that a node gains (`sign` 1) or loses. */
  // biome-ignore lint/complexity/useMaxParams: called for every victim and move, without making objects
  private share(
    { row }: Victim,
    node: number,
    sign: 1 | -1,
    shifts: number,
    squares: number,
    first: number,
    end: number,
  ): void {
    const { columns, table } = this;
    const place = columns.placeOf[node] as number;
    if (place < 0) return;
    for (let column = first; column < end; column++) {
      const from = place * columns.width + column;
      const cost = table.data[row + table.costs + column] as number;
      const shift = sign * cost * (columns.units[from] as number);
      table.addShift(row, shifts, squares, column, columns.figures[from] as number, shift);
    }
  }

  private mirrorNode({ needed }: Victim, node: number): MirrorNode | undefined {
    if (needed === 0) return undefined;
    const { cluster, columns } = this;
    return {
      place: columns.placeOf[node] as number,
      reserved: cluster.get(node, field.memoryReserved),
      unallocated: cluster.get(node, field.memoryUnallocated),
      placed: lengthOf(cluster.primaries[node]) + lengthOf(cluster.secondaries[node]) + 1,
    };
  }
}
