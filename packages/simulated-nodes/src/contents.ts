/** Contents of disks: images and systems, which are copied with their volumes. Disks in files are left out. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { deviceOf, sideOf } from "./drbd-disk.js";
import { advance, dataVolume, isConnected, pairOf } from "./mirror.js";
import type { DrbdSide, HostState } from "./node-state.js";
import type { Site } from "./site.js";
import { changeVolume, volumeAt } from "./volume-group.js";

/** A volume with the data of the disk, and its host. */
interface Place {
  readonly host: HostState;
  readonly volume: readonly unknown[];
}

/** The volumes that a write to the disk on this node reaches, its own first. */
function placesOf(site: Site, disk: DiskOnNode): readonly Place[] {
  const { host } = site;
  if (disk.dev_type === "plain") return [{ host, volume: disk.logical_id }];
  const device = disk.dev_type === "drbd" ? deviceOf(site, disk) : undefined;
  if (device === undefined) return [];
  const pair = pairOf(site, sideOf(site, disk).minor, device);
  // A side without its peer notes since when it is written alone.
  advance(site, pair);
  const stored = (on: HostState, side: DrbdSide): readonly Place[] =>
    side.data === "none" ? [] : [{ host: on, volume: dataVolume(side) }];
  const { peer, peerHost } = pair;
  const reached = isConnected(pair) && peer && peerHost ? stored(peerHost, peer) : [];
  return [...stored(host, device), ...reached];
}

/** Image that an instance reads from the disk on this node; undefined if the disk was not written as a whole. */
export function imageOf(site: Site, disk: DiskOnNode): string | undefined {
  const [place] = placesOf(site, disk);
  return place && volumeAt(place.host, place.volume)?.image;
}

/** Writes the disk as a whole. */
export function writeImage(site: Site, disk: DiskOnNode, image: string | undefined): void {
  for (const { host, volume } of placesOf(site, disk)) {
    changeVolume(host, volume, { image });
    site.touch(host);
  }
}
