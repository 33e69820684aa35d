/** Devices that running instances hold open. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { setEntry } from "./entries.js";
import type { HostState } from "./node-state.js";

/** The device of a disk on this node, as it is named among those that an instance uses. */
export const deviceOn = (
  node: string,
  { dev_type: type, logical_id: id }: Pick<DiskOnNode, "dev_type" | "logical_id">,
): string => (type === "drbd" ? `drbd ${id[id[0] === node ? 3 : 4]}` : `${type} ${id.join("/")}`);

/** Whether an instance that runs here holds the device open. */
export function isHeldOpen({ instances }: HostState, key: string): boolean {
  for (const name in instances) {
    const { hypervisor, devices } = instances[name] ?? {};
    if (hypervisor !== "fake" && devices?.includes(key)) return true;
  }
  return false;
}

/** Whether a mirror that is up stores its data or metadata there. */
export function isAttached({ drbd }: HostState, key: string): boolean {
  for (const minor in drbd) {
    const { up, data, children } = drbd[minor] ?? {};
    if (up && data !== "none" && children?.includes(key)) return true;
  }
  return false;
}

/** Instances keep a device open that gets another name. */
export function renameHeld({ instances }: HostState, key: string, renamed: string): void {
  for (const name in instances) {
    const running = instances[name];
    if (!running?.devices?.includes(key)) continue;
    const devices = running.devices.map((one) => (one === key ? renamed : one));
    setEntry(instances, name, { ...running, devices });
  }
}
