/** Pairs of mirrored disks: connection and synchronisation progress. */
import { type Entries, noteChange } from "./entries.js";
import type { DrbdSide, HostState } from "./node-state.js";
import type { Site } from "./site.js";
import { changeVolume, volumeAt } from "./volume-group.js";

/** The side on this node, and the peer as far as it is reachable. */
export interface Pair {
  readonly minor: number;
  readonly own: DrbdSide;
  readonly host: HostState;
  readonly peer: DrbdSide | undefined;
  readonly peerHost: HostState | undefined;
}

/** O(1) once the peer has been found, as long as it has its minor; else O(mirrors on the peer's node). */
export function pairOf(site: Site, minor: number, own: DrbdSide): Pair {
  const peerHost = site.peer(own.peer);
  const peer = peerHost && peerAmong(peerHost.drbd, own, site.uuid);
  return { minor, own, host: site.host, peer, peerHost };
}

/** Minors of the peers found last, by side. */
const foundMinors = new WeakMap<DrbdSide, string>();

function peerAmong(sides: Entries<DrbdSide>, own: DrbdSide, ownUuid: string): DrbdSide | undefined {
  const isPeer = ({ peer, port, secret }: DrbdSide) =>
    peer === ownUuid && port === own.port && secret === own.secret;
  const found = sides[foundMinors.get(own) ?? ""];
  if (found !== undefined && isPeer(found)) return found;
  // Without a list of all of them, which most calls about a new mirror would make for nothing.
  for (const minor in sides) {
    const side = sides[minor];
    if (side === undefined || !isPeer(side)) continue;
    foundMinors.set(own, minor);
    return side;
  }
  return undefined;
}

/** Changes the side in place, which calls on either node do; values that it already has are no change. */
export function changeMirror(side: DrbdSide, change: Partial<DrbdSide>): void {
  const keys = Object.keys(change) as (keyof DrbdSide)[];
  if (keys.every((key) => side[key] === change[key])) return;
  Object.assign(side, change);
  noteChange(side);
}

export const isConnected = ({ own, peer, host, peerHost }: Pair): boolean =>
  own.up &&
  own.connects &&
  host.powered &&
  peer?.up === true &&
  peer.connects &&
  peerHost?.powered === true;

/** MiB of this side's data that are synchronised by now. */
function syncedBy(side: DrbdSide, host: HostState, site: Site): number {
  if (side.syncingSince === null) return side.syncedMib;
  const { syncSpeed } = site.durations;
  if (syncSpeed === Infinity) return side.sizeMib;
  const seconds = Math.max(0, site.nowMicros - side.syncingSince) / 1e6;
  const copied = (seconds * syncSpeed) / host.syncSlowness;
  return Math.min(side.sizeMib, side.syncedMib + copied);
}

/**
 * Brings a pair up to date: books the copied data, and starts or stops copying according to the
 * present state. To be called before and after every change of either side.
 */
export function advance(site: Site, pair: Pair): void {
  const { own, peer, host, peerHost } = pair;
  const connected = isConnected(pair);
  if (connected && peer !== undefined) meetAgain(site, own, peer);
  else for (const side of [own, peer]) if (side) noteAlone(site, side);
  const here = { side: own, host };
  const there = peer && peerHost && { side: peer, host: peerHost };
  advanceSide(site, here, connected ? there : undefined);
  if (there !== undefined) advanceSide(site, there, connected ? here : undefined);
}

/** A side of a mirror and the host that has it. */
interface Located {
  readonly side: DrbdSide;
  readonly host: HostState;
}

/** The volume with the data of the mirror. */
export const dataVolume = ({ children: [data = ""] }: DrbdSide): readonly string[] =>
  data.slice(data.indexOf(" ") + 1).split("/");

/** MiB per second written by a side in use. */
const writtenPerSecond = 1;

function noteAlone({ nowMicros }: Site, side: DrbdSide): void {
  if (side.up && side.primary && (side.aloneSince ?? null) === null) {
    changeMirror(side, { aloneSince: nowMicros });
  }
}

/**
 * The peer lacks data written by one side alone; if both sides wrote alone, the data of the side in
 * use are kept. Without a peer, a side whose own data are incomplete can be neither read nor written.
 */
function meetAgain({ nowMicros }: Site, own: DrbdSide, peer: DrbdSide): void {
  const behind = (side: DrbdSide, other: DrbdSide) => {
    const since = other.aloneSince ?? null;
    if (since === null || other.data !== "uptodate") return;
    if (side.data !== "uptodate" || (side.primary && !other.primary)) return;
    const lacking = Math.min(side.sizeMib, ((nowMicros - since) / 1e6) * writtenPerSecond);
    if (lacking <= 0) return;
    changeMirror(side, { data: "inconsistent", syncedMib: side.sizeMib - lacking });
  };
  behind(own, peer);
  if (own.data === "uptodate") behind(peer, own);
  for (const side of [own, peer]) changeMirror(side, { aloneSince: null });
}

function advanceSide(site: Site, own: Located, source: Located | undefined): void {
  const { side, host } = own;
  const { syncedMib, syncingSince } = side;
  moveOn(site, own, source);
  if (side.syncedMib !== syncedMib || side.syncingSince !== syncingSince) site.touch(host);
}

function moveOn(site: Site, { side, host }: Located, source: Located | undefined): void {
  if (side.syncingSince !== null) {
    const synced = syncedBy(side, host, site);
    if (synced >= side.sizeMib) settle(side);
    else if (source === undefined || side.paused) {
      changeMirror(side, { syncedMib: synced, syncingSince: null });
    }
  }
  const copies = side.data === "inconsistent" && source?.side.data === "uptodate" && !side.paused;
  if (copies && side.syncingSince === null) {
    // Later writes reach both sides.
    const image = volumeAt(source.host, dataVolume(source.side))?.image;
    changeVolume(host, dataVolume(side), { image });
    changeMirror(side, { syncingSince: site.nowMicros });
    if (site.durations.syncSpeed === Infinity) settle(side);
  }
}

/** Books the data copied to this side at the speed so far. */
export function book(site: Site, side: DrbdSide, host: HostState): void {
  if (side.syncingSince === null) return;
  changeMirror(side, { syncedMib: syncedBy(side, host, site), syncingSince: site.nowMicros });
}

const settle = (side: DrbdSide): void =>
  changeMirror(side, { data: "uptodate", syncedMib: side.sizeMib, syncingSince: null });

/** Progress of the synchronisation; undefined if none is running. */
export function progress(
  site: Site,
  pair: Pair,
): { readonly percent: number; readonly seconds: number } | undefined {
  const { own, peer, host, peerHost } = pair;
  if (own.syncingSince !== null) return progressOf(own, host, site);
  if (peer !== undefined && peerHost !== undefined && peer.syncingSince !== null) {
    return progressOf(peer, peerHost, site);
  }
  return undefined;
}

function progressOf(side: DrbdSide, host: HostState, site: Site) {
  const synced = syncedBy(side, host, site);
  const speed = site.durations.syncSpeed / host.syncSlowness;
  return {
    percent: Math.floor((synced / side.sizeMib) * 1000) / 10,
    seconds: Math.ceil((side.sizeMib - synced) / speed),
  };
}
