/** Memory that a secondary would reserve for primaries with which it already shares mirrored instances. */
import { memoryReservedFor, reservationMisfit } from "../fit/fitting.js";
import { fits } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field } from "../model/node-columns.js";
import type { Peer, PeerMap } from "../model/peer-map.js";
import { at } from "../score/metrics.js";
import type { PeerReservation } from "../score/pair-figures.js";
import type { ScoreColumns } from "../score/score-columns.js";

/** Primaries, of those wanted, for which `secondary` would reserve more memory than for any node now. */
export function peerReservations(
  cluster: Cluster,
  instance: Instance,
  secondary: number,
  isWanted?: (peer: Peer) => boolean,
): Peer[] {
  const reserved = cluster.get(secondary, field.memoryReserved);
  const needed = memoryReservedFor(instance);
  const found: Peer[] = [];
  for (const peer of cluster.peers[secondary] as PeerMap) {
    // Largest first: the others need less.
    if (peer.mib + needed <= reserved) break;
    if (isWanted !== undefined && !isWanted(peer)) continue;
    if (peer.mib > 0 && peer.node !== secondary) found.push(peer);
  }
  return found;
}

/**
 * The same among the nodes of `columns`, with what the reservation changes. The secondary is known to fit with an
 * unrelated primary; only the reservation differs, which becomes the largest.
 */
export function sharingReservations(
  cluster: Cluster,
  instance: Instance,
  columns: ScoreColumns,
  secondary: number,
  isWanted?: (peer: Peer) => boolean,
): PeerReservation[] {
  const place = columns.placeOfNode(secondary);
  const value = (component: number) =>
    (columns.columns[component] as Float64Array)[place] as number;
  const memoryFree = cluster.get(secondary, field.memoryUnallocated);
  const memoryTotal = cluster.facts.memoryTotal[secondary] as number;
  const [from, total, n1] = [value(at.reserved), value(at.reservedTotal), value(at.n1)];
  const placed = value(at.offlineAll) + 1;
  const reservations: PeerReservation[] = [];
  for (const { node, mib } of peerReservations(cluster, instance, secondary, isWanted)) {
    const primary = columns.placeOfNode(node);
    if (primary < 0) continue;
    const reserved = mib + memoryReservedFor(instance);
    const to = reserved / memoryTotal;
    reservations.push({
      place: primary,
      feasible: reservationMisfit(cluster, secondary, reserved) === fits,
      shift: to - from,
      square: to * to - from * from,
      reservedShift: to - total,
      n1Shift: (memoryFree <= reserved ? placed : 0) - n1,
    });
  }
  return reservations;
}
