/** Storage under a mirror: what DRBD refuses to attach, and the size that the devices of a pair have. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { changeMirror, dataVolume, isConnected, type Pair } from "./mirror.js";
import type { DrbdSide, HostState } from "./node-state.js";
import { NodeFault, type Site } from "./site.js";
import { volumeAt } from "./volume-group.js";

/** Sizes (MiB) of metadata that a node accepts for a new mirror. */
const [metaMibMin, metaMibMax] = [128, 1024];

/** @throws NodeFault if the volume cannot hold the metadata of a new mirror */
export function checkMetaSize({ host }: Site, meta: DiskOnNode): void {
  const sizeMib = volumeAt(host, meta.logical_id)?.sizeMib ?? 0;
  // Ganeti's texts, with their spellings of MiB.
  if (sizeMib < metaMibMin) throw new NodeFault(`Meta device too small (${sizeMib.toFixed(2)}Mib)`);
  if (sizeMib > metaMibMax) throw new NodeFault(`Meta device too big (${sizeMib.toFixed(2)}MiB)`);
}

/**
 * Checks the storage as DRBD does when a mirror is attached to it. A mirror of size 0 takes the size of its data volume.
 * @throws NodeFault if a volume is read-only or smaller than the mirror
 */
export function checkAttachable(
  { host }: Site,
  minor: number,
  sizeMib: number,
  children: readonly DiskOnNode[],
): void {
  const [data, meta] = children.map((child) => volumeAt(host, child.logical_id));
  const refused = (text: string) =>
    new NodeFault(`drbd${minor}: can't attach local disk: ${minor}: ${text}`);
  if (data?.readOnly) throw refused("Failure: (104) Can not open backing device.");
  if (meta?.readOnly) throw refused("Failure: (105) Can not open meta device.");
  if (data !== undefined && data.sizeMib < sizeMib) {
    throw refused("Failure: (111) Low.dev. smaller than requested DRBD-dev. size.");
  }
}

/**
 * Grows the devices of a connected pair, or the own one, up to the smallest of their volumes. The new part is synchronised.
 * @throws NodeFault if it does not reach the wanted size
 */
export function resizePair(pair: Pair, wantedMib: number): void {
  const { minor, own, peer, host, peerHost } = pair;
  const sides: (readonly [DrbdSide, HostState])[] = [[own, host]];
  if (isConnected(pair) && peer && peerHost) sides.push([peer, peerHost]);
  const room = sides.map(([side, on]) =>
    side.data === "none" ? Infinity : (volumeAt(on, dataVolume(side))?.sizeMib ?? 0),
  );
  const sizeMib = Math.min(wantedMib, ...room);
  for (const [side] of sides) if (side.sizeMib < sizeMib) growSide(side, sizeMib);
  if (sizeMib >= wantedMib) return;
  throw new NodeFault(
    `drbd${minor}: resize failed: the device has ${own.sizeMib} MiB instead of ${wantedMib} MiB`,
  );
}

function growSide(side: DrbdSide, sizeMib: number): void {
  const isBehind = !side.primary && side.data === "uptodate";
  if (isBehind) changeMirror(side, { data: "inconsistent", syncedMib: side.sizeMib });
  changeMirror(side, { sizeMib });
}
