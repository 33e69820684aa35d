// Seeded healthy clusters of any size, ten instances per node: busy, yet every node can be emptied.

import { defaultPolicy } from "@ganeti-ts/htools";
import type { ClusterData, DiskTemplate, InstanceData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";

export const instancesPerNode = 10;

export interface Mix {
  /** The template of every fourth instance, and that of the others. */
  readonly fourth: DiskTemplate;
  readonly others: DiskTemplate;
  readonly groupCount?: number;
  /** Share of the nodes of a group that have no instances yet. Default: 0. */
  readonly newNodes?: number;
}

/** The same nodes and instances for the same size and mix. */
export function busyCluster(
  nodeCount: number,
  { fourth, others, groupCount = 1, newNodes = 0 }: Mix,
): ClusterData {
  const dice = new Dice(nodeCount);
  const groupOf = (node: number) => Math.floor((node * groupCount) / nodeCount);
  const size = nodeCount / groupCount;
  const inUse = Math.ceil(size * (1 - newNodes));
  const instances = Array.from({ length: nodeCount * instancesPerNode }, (_, at): InstanceData => {
    const first = groupOf(at % nodeCount) * size;
    const own = ((at % nodeCount) - first) % inUse;
    const primary = first + own;
    const diskTemplate = Math.floor(at / nodeCount) % 4 === 3 ? fourth : others;
    const away = dice.between(1, inUse - 1);
    const secondary = first + ((own + away) % inUse);
    return anInstance({
      name: `instance${at}.example.com`,
      memoryMib: 256 * dice.between(2, 8),
      disks: [{ sizeMib: 1024 * dice.between(10, 40), spindles: undefined }],
      vcpus: dice.between(1, 2),
      diskTemplate,
      primary,
      secondary: diskTemplate === "drbd" ? secondary : -1,
    });
  });
  const used = resourcesUsed(nodeCount, instances);
  const groups = Array.from({ length: groupCount }, (_, at) =>
    aGroup({ name: `group${at}`, uuid: `uuid-${at}`, policy: defaultPolicy }),
  );
  const nodes = Array.from({ length: nodeCount }, (_, at) => {
    const memoryTotalMib = dice.pick([65536, 98304]);
    const diskTotalMib = dice.pick([2097152, 3145728]);
    return aNode({
      name: `node${at}.example.com`,
      groupIndex: groupOf(at),
      memoryTotalMib,
      memoryFreeMib: memoryTotalMib - 1024 - (used.memoryMib[at] as number),
      diskTotalMib,
      diskFreeMib: diskTotalMib - (used.diskMib[at] as number),
      cpuTotal: 16,
      spindleTotal: 12,
    });
  });
  return aCluster({ groups, nodes, instances, hypervisor: "xen-pvm" });
}

function resourcesUsed(nodeCount: number, instances: readonly InstanceData[]) {
  const memoryMib = Array.from({ length: nodeCount }, () => 0);
  const diskMib = Array.from({ length: nodeCount }, () => 0);
  for (const instance of instances) {
    const { primary, secondary, diskTemplate } = instance;
    memoryMib[primary] = (memoryMib[primary] as number) + instance.memoryMib;
    if (diskTemplate === "ext") continue;
    for (const node of secondary < 0 ? [primary] : [primary, secondary]) {
      diskMib[node] = (diskMib[node] as number) + instance.diskMib;
    }
  }
  return { memoryMib, diskMib };
}
