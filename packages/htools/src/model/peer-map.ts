/**
 * Memory that a node reserves for the failure of each other node: the sizes of its secondary instances,
 * summed by their primary node. Immutable; largest sum first, among equals the one set last.
 */
export interface Peer {
  readonly node: number;
  readonly mib: number;
}
export type PeerMap = readonly Peer[];

export const noPeers: PeerMap = [];

export function peerMemory(peers: PeerMap, node: number): number {
  for (const peer of peers) if (peer.node === node) return peer.mib;
  return 0;
}

/** The largest sum: the memory a node must reserve to survive the failure of any one other node. */
export const largestPeer = (peers: PeerMap): number => peers[0]?.mib ?? 0;

export function withPeer(peers: PeerMap, node: number, mib: number): PeerMap {
  const changed: Peer[] = [];
  let placed = false;
  for (const peer of peers) {
    if (!placed && peer.mib <= mib) {
      changed.push({ node, mib });
      placed = true;
    }
    if (peer.node !== node) changed.push(peer);
  }
  if (!placed) changed.push({ node, mib });
  return changed;
}

export const withoutPeer = (peers: PeerMap, node: number): PeerMap =>
  peers.filter((peer) => peer.node !== node);
