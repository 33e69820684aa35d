/** Memory that nodes reserve for each other's failure, indexed by both nodes. */
import type { Cluster } from "../../model/cluster.js";
import { type PeerMap, peerMemory } from "../../model/peer-map.js";

export interface PeerReservation {
  readonly place: number;
  readonly mib: number;
}

export class PeerReservations {
  /** By node: the places that reserve memory for it, and those for which it reserves memory. */
  private readonly reservedForNode: (readonly PeerReservation[])[];
  private readonly reservedByNode: (readonly PeerReservation[])[];

  constructor(
    private readonly cluster: Cluster,
    private readonly placeOf: Int32Array,
  ) {
    this.reservedForNode = cluster.data.nodes.map((_, node) => this.findFor(node));
    this.reservedByNode = cluster.data.nodes.map((_, node) => this.findBy(node));
  }

  /** Updates the nodes that a step touched; no other reservation can have changed. */
  refresh(touched: readonly number[]): void {
    for (const node of touched) {
      this.reservedForNode[node] = this.findFor(node);
      this.reservedByNode[node] = this.findBy(node);
    }
  }

  reservedFor(node: number): readonly PeerReservation[] {
    return this.reservedForNode[node] as readonly PeerReservation[];
  }

  /** Online nodes of the list only. */
  reservedBy(node: number): readonly PeerReservation[] {
    return this.reservedByNode[node] as readonly PeerReservation[];
  }

  private findFor(node: number): readonly PeerReservation[] {
    const { cluster, placeOf } = this;
    const found = new Map<number, PeerReservation>();
    for (let at = cluster.primaries[node]; at !== undefined; at = at.rest) {
      const mirror = cluster.secondaryOf[at.index] as number;
      const place = mirror < 0 ? -1 : (placeOf[mirror] as number);
      if (place < 0 || found.has(place)) continue;
      found.set(place, { place, mib: peerMemory(cluster.peers[mirror] as PeerMap, node) });
    }
    return [...found.values()];
  }

  private findBy(node: number): readonly PeerReservation[] {
    const peers = this.cluster.peers[node] as PeerMap;
    return peers
      .map((peer) => ({ place: this.placeOf[peer.node] as number, mib: peer.mib }))
      .filter(({ place }) => place >= 0);
  }
}
