/** Which nodes keep memory free for which others, looked up from both ends; by place. */
import type { Cluster } from "../../model/cluster.js";
import { type PeerMap, peerMemory } from "../../model/peer-map.js";

export interface Acquaintance {
  readonly place: number;
  readonly mib: number;
}

export class Acquaintances {
  /** By node: the places that keep memory for it, and those for which it keeps some. */
  private readonly keptForNode: (readonly Acquaintance[])[];
  private readonly keptByNode: (readonly Acquaintance[])[];

  constructor(
    private readonly cluster: Cluster,
    private readonly placeOf: Int32Array,
  ) {
    this.keptForNode = cluster.data.nodes.map((_, node) => this.findFor(node));
    this.keptByNode = cluster.data.nodes.map((_, node) => this.findBy(node));
  }

  /** A step changes only what nodes it touches keep for each other. */
  refresh(touched: readonly number[]): void {
    for (const node of touched) {
      this.keptForNode[node] = this.findFor(node);
      this.keptByNode[node] = this.findBy(node);
    }
  }

  keptFor(node: number): readonly Acquaintance[] {
    return this.keptForNode[node] as readonly Acquaintance[];
  }

  /** Online nodes of the list only. */
  keptBy(node: number): readonly Acquaintance[] {
    return this.keptByNode[node] as readonly Acquaintance[];
  }

  private findFor(node: number): readonly Acquaintance[] {
    const { cluster, placeOf } = this;
    const found = new Map<number, Acquaintance>();
    for (let at = cluster.primaries[node]; at !== undefined; at = at.rest) {
      const mirror = cluster.secondaryOf[at.index] as number;
      const place = mirror < 0 ? -1 : (placeOf[mirror] as number);
      if (place < 0 || found.has(place)) continue;
      found.set(place, { place, mib: peerMemory(cluster.peers[mirror] as PeerMap, node) });
    }
    return [...found.values()];
  }

  private findBy(node: number): readonly Acquaintance[] {
    const peers = this.cluster.peers[node] as PeerMap;
    return peers
      .map((peer) => ({ place: this.placeOf[peer.node] as number, mib: peer.mib }))
      .filter(({ place }) => place >= 0);
  }
}
