/** Figures of a simulated node: total and free resources. */
import type { HypervisorFigures } from "@ganeti-ts/node-calls";
import type { HostState, InstanceState } from "./node-state.js";
import { groupSpace } from "./volume-group.js";

/** Protocol and release that simulated nodes speak. */
export const version = { protocol: 3000000, release: "3.0.2" } as const;

/** Memory (MiB) not used by the node's own system or by instances, as far as these have touched theirs. */
export function memoryFree(host: HostState): number {
  let free = host.memoryTotalMib - host.memoryNodeMib - (host.memoryOtherMib ?? 0);
  const { instances, touchedShare = 1 } = host;
  for (const name in instances) {
    free -= Math.ceil((instances[name] as InstanceState).memoryMib * touchedShare);
  }
  return Math.max(0, free);
}

export const figuresOf = (host: HostState): HypervisorFigures => ({
  memoryTotalMib: host.memoryTotalMib,
  memoryFreeMib: memoryFree(host),
  memoryNodeMib: host.memoryNodeMib,
  cpuTotal: host.cpuTotal,
  cpuNode: host.cpuNode,
  cpuNodes: host.cpuNodes,
  cpuSockets: host.cpuSockets,
});

export const groupSizes = ({ volumeGroups }: HostState): Record<string, number> =>
  Object.fromEntries(
    Object.entries(volumeGroups).map(([name, group]) => [name, groupSpace(group).sizeMib]),
  );
