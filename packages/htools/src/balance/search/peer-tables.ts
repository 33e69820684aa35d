/**
 * Tables of the memory that a victim's nodes and its targets reserve for each other, by target. They are filled
 * for all targets; or for a few, and then from the targets' side, so that many victims can be examined in turn.
 */

import type { Placement } from "../../fit/move.js";
import type { Cluster } from "../../model/cluster.js";
import type { PeerMap } from "../../model/peer-map.js";
import type { ColumnSet } from "./column-set.js";
import type { PeerReservation, PeerReservations } from "./peer-reservations.js";

export class PeerTables {
  /**
   * By place, in MiB: memory that the target reserves for the primary and the secondary, and that they
   * reserve for it.
   */
  readonly forPrimary: Float64Array;
  readonly forSecondary: Float64Array;
  readonly ofPrimary: Float64Array;
  readonly ofSecondary: Float64Array;
  private filled: { readonly table: Float64Array; readonly list: readonly PeerReservation[] }[] =
    [];
  /** The few places, and for each by node the memory it reserves for others and they reserve for it. */
  private few: readonly number[] = [];
  private readonly reservedBy: Float64Array[] = [];
  private readonly reservedFor: Float64Array[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
    private readonly peerReservations: PeerReservations,
  ) {
    const perPlace = () => new Float64Array(columns.count);
    this.forPrimary = perPlace();
    this.forSecondary = perPlace();
    this.ofPrimary = perPlace();
    this.ofSecondary = perPlace();
  }

  fill({ primary, secondary }: Placement): void {
    this.clear();
    this.note(this.forPrimary, this.peerReservations.reservedFor(primary));
    this.note(this.forSecondary, this.peerReservations.reservedFor(secondary));
    this.note(this.ofPrimary, this.peerReservations.reservedBy(primary));
    this.note(this.ofSecondary, this.peerReservations.reservedBy(secondary));
  }

  clear(): void {
    for (const { table, list } of this.filled) for (const { place } of list) table[place] = 0;
    this.filled = [];
  }

  /** Prepares `fillFew` for these places, which lasts until `endFew`. */
  beginFew(places: readonly number[]): void {
    const { cluster, columns, peerReservations } = this;
    this.clear();
    this.few = places;
    for (const [at, place] of places.entries()) {
      const node = columns.nodes[place] as number;
      const by = this.reservedBy[at]?.fill(0) ?? new Float64Array(cluster.nodeCount);
      for (const peer of cluster.peers[node] as PeerMap) by[peer.node] = peer.mib;
      this.reservedBy[at] = by;
      const kept = this.reservedFor[at]?.fill(0) ?? new Float64Array(cluster.nodeCount);
      for (const one of peerReservations.reservedFor(node)) {
        kept[columns.nodes[one.place] as number] = one.mib;
      }
      this.reservedFor[at] = kept;
    }
  }

  fillFew({ primary, secondary }: Placement): void {
    for (let at = 0; at < this.few.length; at++) {
      const place = this.few[at] as number;
      const by = this.reservedBy[at] as Float64Array;
      const kept = this.reservedFor[at] as Float64Array;
      this.forPrimary[place] = by[primary] as number;
      this.forSecondary[place] = by[secondary] as number;
      this.ofPrimary[place] = kept[primary] as number;
      this.ofSecondary[place] = kept[secondary] as number;
    }
  }

  endFew(): void {
    for (const place of this.few) {
      this.forPrimary[place] = 0;
      this.forSecondary[place] = 0;
      this.ofPrimary[place] = 0;
      this.ofSecondary[place] = 0;
    }
    this.few = [];
  }

  private note(table: Float64Array, list: readonly PeerReservation[]): void {
    for (const { place, mib } of list) table[place] = mib;
    this.filled.push({ table, list });
  }
}
