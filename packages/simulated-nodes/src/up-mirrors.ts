/** The mirrors of a node by themselves, whatever disks they are of. */
import type { DiskCalls, UpMirror } from "@ganeti-ts/node-calls";
import { advance, pairOf } from "./mirror.js";
import type { DrbdSide, HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault } from "./site.js";
import { volumeAt } from "./volume-group.js";

export const mirrorOperations: CallsOnHost<keyof Pick<DiskCalls, "drbd_list" | "drbd_down">> = {
  drbd_list: ({ host }) =>
    Object.entries(host.drbd).flatMap(([minor, side]): readonly UpMirror[] =>
      side.up
        ? [{ minor: Number(minor), storage: storageOf(side), openBy: openerOf(host, side) }]
        : [],
    ),
  drbd_down(site, { minor, storage }) {
    const { host } = site;
    const side = host.drbd[minor];
    if (side === undefined || !side.up) return null;
    if (storageOf(side).join() !== storage.join()) {
      throw new NodeFault(`drbd${minor}: lies on ${storageOf(side).join(", ") || "nothing"}`);
    }
    if (openerOf(host, side) !== null) {
      throw new NodeFault(
        `drbd${minor}: can't shutdown drbd device: exited with exit code 11 - State change failed: (-12) Device is held open by someone`,
      );
    }
    advance(site, pairOf(site, minor, side));
    Object.assign(side, { up: false, connects: false, primary: false, multimaster: false });
    advance(site, pairOf(site, minor, side));
    return null;
  },
};

const storageOf = ({ children }: DrbdSide): readonly string[] =>
  children.map((key) => key.slice(key.indexOf(" ") + 1));

/** The instance that runs here and whose name its volumes carry. */
function openerOf(host: HostState, side: DrbdSide): string | null {
  if (!side.primary) return null;
  for (const volume of storageOf(side)) {
    const { info = "" } = volumeAt(host, volume.split("/")) ?? {};
    const name = info.slice(info.indexOf("+") + 1);
    if (name in host.instances) return name;
  }
  return null;
}
