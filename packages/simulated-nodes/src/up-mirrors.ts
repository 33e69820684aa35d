/** Active mirrors of a node, whatever disks they belong to. */
import { advance, changeMirror, pairOf } from "./mirror.js";
import type { DrbdSide, HostState } from "./node-state.js";
import { NodeFault, type Site } from "./site.js";
import { volumeAt } from "./volume-group.js";

/** Brings down the mirror on the minor. @throws NodeFault if an instance holds it open */
export function shutdownMinor(site: Site, minor: number): void {
  const { host } = site;
  const side = host.drbd[minor];
  if (side === undefined || !side.up) return;
  if (isHeldOpen(host, side)) {
    throw new NodeFault(
      `drbd${minor}: can't shutdown drbd device: exited with exit code 11 - State change failed: (-12) Device is held open by someone`,
    );
  }
  advance(site, pairOf(site, minor, side));
  changeMirror(side, { up: false, connects: false, primary: false, multimaster: false });
  advance(site, pairOf(site, minor, side));
}

/** Whether the instance named in its volumes runs here. */
function isHeldOpen(host: HostState, { primary, children }: DrbdSide): boolean {
  if (!primary) return false;
  return children.some((key) => {
    const volume = key.slice(key.indexOf(" ") + 1);
    const { info = "" } = volumeAt(host, volume.split("/")) ?? {};
    return info.slice(info.indexOf("+") + 1) in host.instances;
  });
}
