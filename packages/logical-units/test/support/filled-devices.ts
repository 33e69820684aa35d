// Existing devices with systems, which instances adopt.
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";

/** Writes to each device of the node a system that is named by its path. */
export async function fillDevices(
  nodes: SimulatedNodes,
  node: string,
  paths: readonly string[],
): Promise<void> {
  const caller = { lease: "", signal: new AbortController().signal };
  for (const path of paths) {
    const disk = { dev_type: "blockdev", logical_id: ["manual", path], uuid: path, size: 1024 };
    const instance = {
      ...{ uuid: path, name: path, os: "noop", hypervisor: "kvm", hvparams: {}, beparams: {} },
      ...{ osparams: {}, nics: [], disks: [disk] },
    };
    const how = { reinstall: false, debugLevel: 0 };
    await nodes.call(node, "instance_os_add", { instance, ...how }, caller);
  }
}
