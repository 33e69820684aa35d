/** Disks mirrored to another node. */
import type { DeviceStatus, DiskOnNode } from "@ganeti-ts/node-calls";
import { deviceOn } from "./devices-in-use.js";
import type { DiskKind } from "./disk-kind.js";
import { setEntry } from "./entries.js";
import { advance, changeMirror, dataVolume, isConnected, pairOf, progress } from "./mirror.js";
import { checkAttachable, checkMetaSize, resizePair } from "./mirror-storage.js";
import type { DrbdSide, HostState } from "./node-state.js";
import { plainDisk } from "./plain-disk.js";
import { NodeFault, type Site } from "./site.js";
import { checkClosed, shutdownMinor } from "./up-mirrors.js";
import { changeVolume, volumeAt } from "./volume-group.js";

/** This node's side of the logical id. */
export function sideOf({ uuid }: Site, { logical_id: id }: DiskOnNode) {
  // `[node A, node B, port, minor A, minor B, secret]`; the watcher has all mirrors looked up every few minutes.
  const isA = id[0] === uuid;
  if (!isA && id[1] !== uuid) throw new NodeFault("DRBD device does not belong to this node");
  return {
    minor: Number(isA ? id[3] : id[4]),
    peer: String(isA ? id[1] : id[0]),
    port: Number(id[2]),
    secret: String(id[5]),
  };
}

/** The device, if it is active and belongs to this disk. */
export function deviceOf(site: Site, disk: DiskOnNode): DrbdSide | undefined {
  const wanted = sideOf(site, disk);
  const device = site.host.drbd[wanted.minor];
  return device?.up && device.secret === wanted.secret ? device : undefined;
}

/** Changes the device after and before bringing its pair up to date. */
export function changeDevice<T>(
  site: Site,
  disk: DiskOnNode,
  device: DrbdSide,
  change: (device: DrbdSide) => T,
): T {
  const { minor } = sideOf(site, disk);
  advance(site, pairOf(site, minor, device));
  try {
    return change(device);
  } finally {
    advance(site, pairOf(site, minor, device));
  }
}

/**
 * Drops inactive mirrors of the same volume, because new metadata overwrite theirs. Otherwise a mirror that returns to a
 * node under another minor could be paired with its former self there. O(mirrors on the node).
 */
function dropFormer({ host }: Site, data: string): void {
  const { drbd } = host;
  for (const minor in drbd) {
    const side = drbd[minor];
    if (side !== undefined && !side.up && side.children[0] === data) {
      setEntry(drbd, minor, undefined);
    }
  }
}

/** Brings the mirror up on its minor: with new metadata, or without local storage (`none`). */
function bringUp(site: Site, disk: DiskOnNode, data: "inconsistent" | "none"): void {
  const { minor, peer, port, secret } = sideOf(site, disk);
  const children = (disk.children ?? []).map((child) => deviceOn(site.uuid, child));
  if (children[0] !== undefined) dropFormer(site, children[0]);
  setEntry(site.host.drbd, String(minor), {
    up: true,
    port,
    peer,
    secret,
    sizeMib: disk.size,
    primary: false,
    connects: true,
    multimaster: false,
    data,
    syncedMib: 0,
    children,
    syncingSince: null,
    paused: false,
  });
}

/** Whether its storage on this node is usable. */
const hasStorage = (site: Site, disk: DiskOnNode): boolean =>
  (disk.children ?? []).length === 2 &&
  (disk.children ?? []).every((child) => plainDisk.status(site, child)?.localDisk === "ok");

export const drbdDisk: DiskKind = {
  create(site, disk, args) {
    const { minor, secret } = sideOf(site, disk);
    const [data, meta] = disk.children ?? [];
    if (data === undefined || meta === undefined) {
      throw new NodeFault("Invalid setup for the drbd device");
    }
    for (const child of [data, meta]) {
      if (plainDisk.status(site, child) === undefined) {
        throw new NodeFault(`Can't assemble device ${deviceOn(site.uuid, child)}`);
      }
    }
    const there = site.host.drbd[minor];
    const isSame = there?.secret === secret && there.data !== "none";
    if (there?.up && !isSame) {
      throw new NodeFault(`drbd${minor}: minor is already in use at Create() time`);
    }
    if (!isSame) checkMetaSize(site, meta);
    if (!there?.up || !isSame) checkAttachable(site, minor, disk.size, [data, meta]);
    if (!isSame) bringUp(site, disk, "inconsistent");
    changeDevice(site, disk, site.host.drbd[minor] as DrbdSide, (device) => {
      changeMirror(device, { up: true, connects: true });
      if (!args.onPrimary) return;
      // A new pair has no good data: those of the primary are declared good.
      const { sizeMib: syncedMib } = device;
      changeMirror(device, { primary: true, data: "uptodate", syncedMib, syncingSince: null });
    });
  },
  status(site, disk) {
    const device = deviceOf(site, disk);
    if (device === undefined) return undefined;
    const { minor } = sideOf(site, disk);
    const pair = pairOf(site, minor, device);
    advance(site, pair);
    const copying = progress(site, pair);
    const stored = device.data !== "none" && hasStorage(site, disk);
    const isGood = stored && device.data === "uptodate";
    let localDisk: DeviceStatus["localDisk"] = "unknown";
    // A secondary side that stands alone may lack what its peer has written since.
    if (isGood && (device.connects || device.primary)) localDisk = "ok";
    else if (!stored) localDisk = "faulty";
    else if (copying !== undefined) localDisk = "sync";
    return {
      path: `/dev/drbd${minor}`,
      major: 147,
      minor,
      syncPercent: copying?.percent ?? null,
      estimatedSeconds: copying?.seconds ?? null,
      degraded: !isGood || !isConnected(pair),
      localDisk,
    };
  },
  remove(site, disk) {
    const { minor, secret } = sideOf(site, disk);
    const device = site.host.drbd[minor];
    if (device === undefined || device.secret !== secret) return;
    checkClosed(site, minor, "can't shutdown drbd device");
    changeDevice(site, disk, device, (gone) => {
      changeMirror(gone, { up: false, connects: false });
    });
    setEntry(site.host.drbd, String(minor), undefined);
  },
  assemble(site, disk, args) {
    const { minor, peer, port, secret } = sideOf(site, disk);
    const isStored = hasStorage(site, disk);
    const there = site.host.drbd[minor];
    if (isStored && !(there?.up && there.data !== "none")) {
      checkAttachable(site, minor, disk.size, disk.children ?? []);
    }
    if (there?.secret !== secret) {
      if (isStored || there?.up) {
        throw new NodeFault(`drbd${minor}: can't attach local disk: no valid metadata`);
      }
      // A mirror whose volumes are gone has no local disk and uses that of its peer.
      bringUp(site, disk, "none");
    }
    changeDevice(site, disk, site.host.drbd[minor] as DrbdSide, (device) => {
      if (!isStored && device.data !== "none") {
        changeMirror(device, { data: "none", syncedMib: 0 });
      } else if (isStored && device.up && device.data === "none") {
        // Volumes that were detached are attached again; they lack what was written meanwhile.
        const children = (disk.children ?? []).map((child) => deviceOn(site.uuid, child));
        changeMirror(device, { data: "inconsistent", syncedMib: 0, syncingSince: null, children });
      }
      changeMirror(device, { up: true, connects: true, peer, port, multimaster: false });
    });
    if (args.asPrimary) drbdDisk.open(site, disk);
  },
  shutdown(site, disk) {
    if (disk.logical_id[5] === null) return shutdownMinor(site, sideOf(site, disk).minor);
    const device = deviceOf(site, disk);
    if (device === undefined) return;
    checkClosed(site, sideOf(site, disk).minor, "can't shutdown drbd device");
    changeDevice(site, disk, device, () => {
      changeMirror(device, { up: false, connects: false, primary: false, multimaster: false });
    });
  },
  open(site, disk) {
    const { minor } = sideOf(site, disk);
    const device = deviceOf(site, disk);
    if (device === undefined) throw new NodeFault(`drbd${minor}: device is not set up`);
    const pair = pairOf(site, minor, device);
    advance(site, pair);
    const { peer } = pair;
    const both = device.multimaster && peer?.multimaster === true;
    if (isConnected(pair) && peer?.primary && !both) {
      throw new NodeFault(
        `drbd${minor}: can't make drbd device primary: exited with exit code 11 - State change failed: (-1) Multiple primaries not allowed by config`,
      );
    }
    if (device.data !== "uptodate" && !(isConnected(pair) && peer?.data === "uptodate")) {
      throw new NodeFault(
        `drbd${minor}: can't make drbd device primary: exited with exit code 17 - State change failed: (-2) Need access to UpToDate data`,
      );
    }
    changeMirror(device, { primary: true });
  },
  close(site, disk) {
    const device = deviceOf(site, disk);
    if (device === undefined) return;
    checkClosed(site, sideOf(site, disk).minor, "can't switch drbd device to secondary");
    changeMirror(device, { primary: false });
  },
  grow(site, disk, args) {
    const [data] = disk.children ?? [];
    const { minor } = sideOf(site, disk);
    if (data === undefined || deviceOf(site, disk)?.data === "none") {
      throw new NodeFault(`drbd${minor}: cannot grow diskless device`);
    }
    if (args.backingStore) plainDisk.grow(site, data, args);
    else if (!args.dryRun) {
      const device = deviceOf(site, disk);
      if (device === undefined) throw new NodeFault("drbd: device is not set up");
      changeDevice(site, disk, device, () => {
        resizePair(pairOf(site, minor, device), disk.size + args.amountMib);
      });
    }
  },
  rename: () => {
    throw new NodeFault("Can't rename a drbd device");
  },
  setInfo(site, disk, info) {
    const children = disk.children ?? [];
    // Without one of them the mirror has no storage to mark.
    if (children.some((child) => plainDisk.status(site, child) === undefined)) return;
    for (const child of children) plainDisk.setInfo(site, child, info);
  },
  dimensions(site, disk) {
    const device = deviceOf(site, disk);
    return device && { sizeMib: device.sizeMib, spindles: null };
  },
  path: (site, disk) => `/dev/drbd${sideOf(site, disk).minor}`,
  image(site, disk) {
    const [place] = placesOf(site, disk);
    return place && volumeAt(place.host, place.volume)?.image;
  },
  write(site, disk, image) {
    for (const { host, volume } of placesOf(site, disk)) {
      changeVolume(host, volume, { image });
      site.touch(host);
    }
  },
};

/** A volume with the data of a mirror, and its host. */
interface Place {
  readonly host: HostState;
  readonly volume: readonly unknown[];
}

/** The volumes that a write to the mirror on this node reaches, its own first. */
function placesOf(site: Site, disk: DiskOnNode): readonly Place[] {
  const device = deviceOf(site, disk);
  if (device === undefined) return [];
  const pair = pairOf(site, sideOf(site, disk).minor, device);
  // A side without its peer notes since when it is written alone.
  advance(site, pair);
  const stored = (on: HostState, side: DrbdSide): readonly Place[] =>
    side.data === "none" ? [] : [{ host: on, volume: dataVolume(side) }];
  const { peer, peerHost } = pair;
  const reached = isConnected(pair) && peer && peerHost ? stored(peerHost, peer) : [];
  return [...stored(site.host, device), ...reached];
}

/** Detaches the storage of the mirror, or attaches another one, whose data are not good yet. */
export function setStorage(
  site: Site,
  disk: DiskOnNode,
  children: readonly DiskOnNode[] | undefined,
): void {
  const device = deviceOf(site, disk);
  if (device === undefined) throw new NodeFault("device is not set up");
  changeDevice(site, disk, device, () => {
    const keys = (children ?? []).map((child) => deviceOn(site.uuid, child));
    if (device.data !== "none" && children !== undefined) {
      if (keys.join() === device.children.join()) return;
      throw new NodeFault(`drbd${sideOf(site, disk).minor}: already attached to a local disk`);
    }
    const [, meta] = children ?? [];
    if (children !== undefined && meta !== undefined) {
      checkMetaSize(site, meta);
      checkAttachable(site, sideOf(site, disk).minor, disk.size, children);
    }
    const data = children === undefined ? "none" : "inconsistent";
    changeMirror(device, { data, children: keys, syncedMib: 0, syncingSince: null });
  });
}

/** Connects the device to the node named in the logical id. */
export function connect(site: Site, disk: DiskOnNode, multimaster: boolean): void {
  const { peer, port } = sideOf(site, disk);
  const device = deviceOf(site, disk);
  if (device === undefined) throw new NodeFault("device is not set up");
  changeDevice(site, disk, device, () => {
    changeMirror(device, { connects: true, peer, port, multimaster });
  });
}
