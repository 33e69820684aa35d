/**
 * Proofs that nodes can be emptied, kept while a cluster is filled: a check after some placements counts again only for
 * the nodes that these concern.
 */
import type { Cluster } from "../model/cluster.js";
import type { EmptyingCount, Verdict } from "./emptying-count.js";
import { KnownPrimaries } from "./leaving-primaries.js";
import { noMargins } from "./margins.js";

export class EmptyingProofs {
  readonly primaries: KnownPrimaries;
  /** By node: 1 if it was counted that it can be emptied, and it and its secondaries have no new primaries since. */
  private readonly isProved: Uint8Array;

  constructor(private readonly cluster: Cluster) {
    this.primaries = new KnownPrimaries();
    this.isProved = new Uint8Array(cluster.nodeCount);
  }

  /**
   * Follows an instance placed on its primary. O(instances that have the node as their secondary). A mirror changes no
   * proof: it takes disk of its node and never all of it, and failing over needs only some. Proofs survive when placements
   * are taken back, because nodes then have more room.
   */
  place(node: number): void {
    const { secondaries, primaryOf } = this.cluster;
    this.isProved[node] = 0;
    for (let at = secondaries[node]; at !== undefined; at = at.rest) {
      this.isProved[primaryOf[at.index] as number] = 0;
    }
  }

  /** The verdict without margins in the present state. O(1) for most nodes. */
  verdict(node: number, counting: EmptyingCount): Verdict {
    if (this.isProved[node] === 1 && counting.hasRoomForOthers(node)) return "empties";
    const verdict = counting.verdict(node, noMargins);
    this.isProved[node] = Number(verdict === "empties");
    return verdict;
  }
}
