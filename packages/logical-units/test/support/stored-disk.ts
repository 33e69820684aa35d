// Disks as simulated nodes store them.
import type { RealDisk } from "@ganeti-ts/protocol";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";

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
    default:
      return disks[`${type} ${id.join(" ")}`];
  }
}
