/** storedDisk, fillDevices: disks as simulated nodes store them. */
import type { RealDisk } from "@ganeti-ts/protocol";
import { systemOf } from "../instance-operations.js";
import type { SimulatedNodes } from "../simulated-nodes.js";

/** Writes to each existing device of this path a system that is named by it. Not saved: for nodes in memory. */
export const fillDevices = (simulated: SimulatedNodes, paths: readonly string[]): void =>
  void Object.assign(simulated.sharedState, {
    devices: Object.fromEntries(paths.map((path) => [path, systemOf(path)])),
  });

interface StoredDisk {
  /** Content, if it was written as a whole. */
  readonly image?: string | undefined;
}

/** The disk on the node, or in the storage that all nodes share; undefined if it does not exist. Mirrors have volumes. */
export function storedDisk(
  simulated: SimulatedNodes,
  node: string,
  { dev_type: type = "plain", logical_id: id }: Pick<RealDisk, "logical_id"> & Partial<RealDisk>,
): StoredDisk | undefined {
  const host = simulated.stateOf(node);
  const { disks, devices = {} } = simulated.sharedState;
  const [group, name] = id.map(String) as [string, string];
  switch (type) {
    case "plain":
      return host?.volumeGroups[group]?.volumes[name];
    case "file":
      return host?.fileSystem.disks[name];
    case "blockdev":
      return host?.devices[name] === undefined ? undefined : { image: devices[name] };
    case "drbd":
    case "sharedfile":
    case "rbd":
    case "ext":
    case "gluster":
      return disks[`${type} ${id.join(" ")}`];
  }
}
