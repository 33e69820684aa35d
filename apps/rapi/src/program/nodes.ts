/** The nodes of the cluster, which are simulated: machines that exist as files of the data directory. */
import type { Configuration } from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/job-queue";
import { type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/logical-units";
import { nodeStatesInFiles } from "@ganeti-ts/logical-units/machine";
import { type Durations, SimulatedNodes } from "@ganeti-ts/logical-units/simulated";
import type { NodeUuid } from "@ganeti-ts/protocol";

export interface SimulatedParts {
  readonly clock: Clock;
  /** Where the machines are kept. */
  readonly folder: string;
  readonly durations: Durations;
}

/** Every node of the configuration, also of later ones, has a machine; offline nodes are not asked. */
export async function simulatedNodes(
  config: Configuration,
  { clock, folder, durations }: SimulatedParts,
): Promise<NodeBackend> {
  const backend = await SimulatedNodes.open({
    clock,
    hosts: [],
    // Another server may use the same folder.
    states: nodeStatesInFiles(folder, { shared: true }),
    durations,
    newHost: (name) => ({ name }),
  });
  for (const { uuid, name, primary_ip, secondary_ip } of config.snapshot.nodes()) {
    await backend.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: secondary_ip });
  }
  return sparingOfflineNodes(
    backend,
    (uuid) => config.snapshot.node(uuid as NodeUuid)?.offline ?? false,
  );
}
