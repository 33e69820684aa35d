/**
 * What a victim's nodes and its targets keep free for each other: looked up by target while the
 * targets are gone through. Filled for all targets, or for a few: then from the targets' side, so
 * that many victims can be looked at in turn.
 */

import type { Seat } from "../../fit/move.js";
import type { Cluster } from "../../model/cluster.js";
import type { PeerMap } from "../../model/peer-map.js";
import type { Acquaintance, Acquaintances } from "./acquaintances.js";
import type { ColumnSet } from "./column-set.js";

export class PeerTables {
  /** By place, in MiB: what the target keeps for the primary and the secondary, and they for it. */
  readonly forPrimary: Float64Array;
  readonly forSecondary: Float64Array;
  readonly ofPrimary: Float64Array;
  readonly ofSecondary: Float64Array;
  private filled: { readonly table: Float64Array; readonly list: readonly Acquaintance[] }[] = [];
  /** The few places, and for each by node what it keeps for others and they for it. */
  private few: readonly number[] = [];
  private readonly keptBy: Float64Array[] = [];
  private readonly keptFor: Float64Array[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly columns: ColumnSet,
    private readonly acquaintances: Acquaintances,
  ) {
    const perPlace = () => new Float64Array(columns.count);
    this.forPrimary = perPlace();
    this.forSecondary = perPlace();
    this.ofPrimary = perPlace();
    this.ofSecondary = perPlace();
  }

  fill({ primary, secondary }: Seat): void {
    this.clear();
    this.note(this.forPrimary, this.acquaintances.keptFor(primary));
    this.note(this.forSecondary, this.acquaintances.keptFor(secondary));
    this.note(this.ofPrimary, this.acquaintances.keptBy(primary));
    this.note(this.ofSecondary, this.acquaintances.keptBy(secondary));
  }

  clear(): void {
    for (const { table, list } of this.filled) for (const { place } of list) table[place] = 0;
    this.filled = [];
  }

  /** Prepares `fillFew` for these places, which lasts until `endFew`. */
  beginFew(places: readonly number[]): void {
    const { cluster, columns, acquaintances } = this;
    this.clear();
    this.few = places;
    for (const [at, place] of places.entries()) {
      const node = columns.nodes[place] as number;
      const by = this.keptBy[at]?.fill(0) ?? new Float64Array(cluster.nodeCount);
      for (const peer of cluster.peers[node] as PeerMap) by[peer.node] = peer.mib;
      this.keptBy[at] = by;
      const kept = this.keptFor[at]?.fill(0) ?? new Float64Array(cluster.nodeCount);
      for (const one of acquaintances.keptFor(node)) {
        kept[columns.nodes[one.place] as number] = one.mib;
      }
      this.keptFor[at] = kept;
    }
  }

  fillFew({ primary, secondary }: Seat): void {
    for (let at = 0; at < this.few.length; at++) {
      const place = this.few[at] as number;
      const by = this.keptBy[at] as Float64Array;
      const kept = this.keptFor[at] as Float64Array;
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

  private note(table: Float64Array, list: readonly Acquaintance[]): void {
    for (const { place, mib } of list) table[place] = mib;
    this.filled.push({ table, list });
  }
}
