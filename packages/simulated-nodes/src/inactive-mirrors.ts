/** Mirrors of a node that are down, looked up as fast as the watcher asks for them: all of them, every few minutes. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { sideOf } from "./drbd-disk.js";
import { settingsOf } from "./entries.js";
import type { DrbdSide, HostState } from "./node-state.js";
import type { Site } from "./site.js";

/** Devices of a list of disks, as of a number of settings of the host's map of devices. */
interface Found {
  readonly drbd: HostState["drbd"];
  readonly settings: number;
  /** By position in the list; undefined for disks without a device here. */
  readonly devices: readonly (DrbdSide | undefined)[];
}

/** Callers ask with the same list as long as the node should have the same disks. */
const foundByDisks = new WeakMap<readonly DiskOnNode[], Found>();

/**
 * UUIDs of the disks whose mirror is down, does not connect or has lost its storage. O(disks), a look at each device
 * that was found before. @throws NodeFault if a disk has no mirror on this node
 */
export function inactiveMirrors(site: Site, disks: readonly DiskOnNode[]): string[] {
  const { devices } = devicesOf(site, disks);
  const inactive: string[] = [];
  for (let at = 0; at < disks.length; at++) {
    const device = devices[at];
    if (!device?.up || !device.connects || device.data === "none") {
      inactive.push((disks[at] as DiskOnNode).uuid);
    }
  }
  return inactive;
}

function devicesOf(site: Site, disks: readonly DiskOnNode[]): Found {
  const { drbd } = site.host;
  const settings = settingsOf(drbd);
  const known = foundByDisks.get(disks);
  if (known?.drbd === drbd && known.settings === settings) return known;
  const devices = disks.map((disk) => {
    const { minor, secret } = sideOf(site, disk);
    const device = drbd[minor];
    // (a device keeps its secret: another disk gets another device)
    return device?.secret === secret ? device : undefined;
  });
  const found = { drbd, settings, devices };
  foundByDisks.set(disks, found);
  return found;
}
