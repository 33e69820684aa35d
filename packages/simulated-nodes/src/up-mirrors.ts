/** Active mirrors of a node, whatever disks they belong to. */
import { isHeldOpen } from "./devices-in-use.js";
import { advance, changeMirror, pairOf } from "./mirror.js";
import { NodeFault, type Site } from "./site.js";

/** Brings down the mirror on the minor. @throws NodeFault if an instance holds it open */
export function shutdownMinor(site: Site, minor: number): void {
  const { host } = site;
  const side = host.drbd[minor];
  if (side === undefined || !side.up) return;
  checkClosed(site, minor, "can't shutdown drbd device");
  advance(site, pairOf(site, minor, side));
  changeMirror(side, { up: false, connects: false, primary: false, multimaster: false });
  advance(site, pairOf(site, minor, side));
}

/** @throws NodeFault if an instance holds the device of the minor open */
export function checkClosed({ host }: Site, minor: number, what: string): void {
  if (!isHeldOpen(host, `drbd ${minor}`)) return;
  throw new NodeFault(
    `drbd${minor}: ${what}: exited with exit code 11 - State change failed: (-12) Device is held open by someone`,
  );
}
