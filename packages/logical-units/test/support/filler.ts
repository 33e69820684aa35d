// A volume that is no instance's.
import type { SimulatedCluster } from "./simulated.js";

/** Makes a volume of 2 GiB on a node, which the check of owners leaves out because of its name. */
export async function makeFiller({ simulated, nodes }: SimulatedCluster, on = 1): Promise<void> {
  const caller = { lease: "9:1", signal: new AbortController().signal };
  const disk = {
    uuid: "filler",
    dev_type: "plain" as const,
    logical_id: ["xenvg", "filler"],
    size: 2048,
  };
  const how = { owner: "", onPrimary: false, info: "", exclusiveStorage: false };
  const node = nodes[on - 1] ?? "";
  await simulated.call(node, "blockdev_create", { disk, sizeMib: 2048, ...how }, caller);
  await simulated.call(node, "blockdev_shutdown", { disk }, caller);
}
