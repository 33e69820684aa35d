/**
 * What a move changes on the two nodes an instance is on now, whatever its target: measured by
 * taking the instance off and putting it back as the move would. Cost: O(1) per instance.
 */
import { type Cluster, field } from "../../cluster.js";
import { lengthOf } from "../../index-list.js";
import { at, type Measures, measureNode, weights } from "../../metrics.js";
import { fits } from "../../misfit.js";
import { failover } from "../../move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../../placing.js";
import type { ColumnSet } from "./column-set.js";
import type { Keeper } from "./keeper.js";
import { kindAt } from "./kinds.js";
import type { Victim } from "./victim.js";
import type { VictimTable } from "./victim-table.js";

export class SideMeasurer {
  /** Kinds that the victim's own nodes can do, as bits. */
  private possible = 0;
  private primaryBefore: Measures = [];
  private secondaryBefore: Measures = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
    private readonly table: VictimTable,
    /** By node: 1 if it counts in the score. */
    private readonly scored: Uint8Array,
    /** Skips the soft checks. */
    private readonly force: boolean,
  ) {}

  /** Enters what is found into the table. */
  measure(victim: Victim): void {
    const { cluster, columns, table } = this;
    const { bothCount, reservedAt } = columns;
    const { instance, seat, isPair, row } = victim;
    const { index } = instance;
    const { primary, secondary } = seat;
    this.possible = 0;
    this.primaryBefore = measureNode(cluster, primary);
    this.secondaryBefore = isPair ? measureNode(cluster, secondary) : this.primaryBefore;
    table.clearNodes(row);
    const mark = cluster.mark();
    cluster.keepsOnlyLengths = true;
    if (isPair) this.failOver(victim);
    removePrimary(cluster, instance, index, primary, seat.locationScore);
    if (isPair) {
      removeSecondary(cluster, instance, index, secondary, primary);
      this.shareExchange(victim, secondary, 0, bothCount);
      victim.oldPrimary = this.keeper(victim, primary);
      victim.oldSecondary = this.keeper(victim, secondary);
    } else this.allow(victim, kindAt.failoverToAny);
    this.share(victim, primary, table.leavingShifts, table.leavingSquares, 0, reservedAt);
    this.shareExchange(victim, primary, bothCount, reservedAt);
    if (isPair) this.settle(victim);
    cluster.rollback(mark);
    cluster.keepsOnlyLengths = false;
    table.noteRanges(row);
    victim.kinds &= this.possible;
    victim.isKnown = true;
  }

  private failOver(victim: Victim): void {
    const { cluster, force } = this;
    const mark = cluster.mark();
    if (failover(cluster, victim.instance, victim.seat, force).ok) {
      this.allow(victim, kindAt.failover);
    }
    cluster.rollback(mark);
  }

  /** From neither node on. Of whom the keeper of a mirror keeps it counts where the target is known. */
  private settle(victim: Victim): void {
    const { cluster, force, columns } = this;
    const { instance, seat } = victim;
    const { primary, secondary } = seat;
    const { offline } = cluster.facts;
    const { index } = instance;
    const leaving = force || offline[primary] === 1;
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
    this.shareExchange(victim, secondary, columns.bothCount, columns.reservedAt);
    removePrimary(cluster, instance, index, secondary, 0);
    if (addSecondary(cluster, instance, index, secondary, -1, leaving) === fits) {
      this.allow(victim, kindAt.replacePrimary);
    }
    cluster.rollback(mark);
  }

  /** Notes what a kind, which these nodes allow, makes of them. */
  private allow(victim: Victim, kind: number): void {
    this.possible |= 1 << kind;
    this.note(victim, kind, victim.seat.primary, this.primaryBefore);
    if (victim.isPair) this.note(victim, kind, victim.seat.secondary, this.secondaryBefore);
  }

  private note({ row }: Victim, kind: number, node: number, before: Measures): void {
    if (this.scored[node] === 0) return;
    const { columns, table } = this;
    const after = measureNode(this.cluster, node);
    const change = (component: number) =>
      (weights[component] as number) *
      ((after[component] as number) - (before[component] as number));
    const online = (columns.placeOf[node] as number) >= 0;
    const sum = online
      ? change(at.n1) + change(at.tags) + change(at.location) + change(at.reservedTotal)
      : change(at.offlineAll) + change(at.offlinePrimary);
    const linearAt = row + table.linear + kind;
    table.data[linearAt] = (table.data[linearAt] as number) + sum;
    if (!online) return;
    const figure = columns.relative(columns.reservedAt, before);
    const shift = (after[at.reserved] as number) - (before[at.reserved] as number);
    table.addShift(row, table.reservedShifts, table.reservedSquares, kind, figure, shift);
  }

  private shareExchange(victim: Victim, node: number, first: number, end: number): void {
    const { exchangeShifts, exchangeSquares } = this.table;
    this.share(victim, node, exchangeShifts, exchangeSquares, first, end);
  }

  /** Adds what has become of a node to some columns of two parts of the table. */
  private share(
    { row, seat }: Victim,
    node: number,
    shifts: number,
    squares: number,
    first: number,
    end: number,
  ): void {
    const { cluster, columns, table } = this;
    if ((columns.placeOf[node] as number) < 0) return;
    const before = node === seat.primary ? this.primaryBefore : this.secondaryBefore;
    const after = measureNode(cluster, node);
    for (let column = first; column < end; column++) {
      const component = columns.components[column] as number;
      const shift = (after[component] as number) - (before[component] as number);
      table.addShift(row, shifts, squares, column, columns.relative(column, before), shift);
    }
  }

  private keeper({ needed }: Victim, node: number): Keeper | undefined {
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
