// The cluster that the worked examples of hail's behaviour start from, smaller than the test kit's.
import type { InstanceData, NodeData, Wanted } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { defaultPolicy } from "../src/index.js";

/** 32 GiB of memory, one of them the system's; a disk of 1000 GiB, 8 CPUs, 12 spindles. */
export const vectorNode = (change: Partial<NodeData> = {}): NodeData =>
  aNode({
    memoryTotalMib: 32768,
    diskTotalMib: 1024000,
    cpuTotal: 8,
    spindleTotal: 12,
    spindleFree: 0,
    ...change,
  });

export const vectorGroup = aGroup({ uuid: "g1", policy: defaultPolicy });

/** Group `default` with these nodes; what instances use is taken off what the nodes report. */
export const vectorCluster = (
  nodes: readonly NodeData[],
  instances: readonly InstanceData[] = [],
  change: Parameters<typeof aCluster>[0] = {},
) =>
  aCluster({
    groups: [vectorGroup],
    nodes: nodes.map((node, index) => ({
      ...node,
      memoryFreeMib: node.memoryFreeMib - memoryUsed(instances, index),
      diskFreeMib: node.diskFreeMib - diskUsed(instances, index),
    })),
    instances,
    hypervisor: "xen-pvm",
    ...change,
  });

const memoryUsed = (instances: readonly InstanceData[], node: number) =>
  instances
    .filter(({ primary, status }) => primary === node && status === "running")
    .reduce((used, { memoryMib }) => used + memoryMib, 0);

const diskUsed = (instances: readonly InstanceData[], node: number) =>
  instances
    .filter(({ diskTemplate }) => diskTemplate === "drbd" || diskTemplate === "plain")
    .filter(({ primary, secondary }) => primary === node || secondary === node)
    .reduce((used, { diskMib }) => used + diskMib, 0);

export const named = (...names: string[]): NodeData[] => names.map((name) => vectorNode({ name }));

/** An allocation of 1 GiB memory and a disk of 10 GiB, drbd unless stated. */
export const wanted = (change: Partial<InstanceData> = {}): Wanted => {
  const instance = anInstance({ name: "new.ex.com", ...change });
  return { instance, requiredNodes: instance.diskTemplate === "drbd" ? 2 : 1 };
};

export const allocation = (change: Partial<InstanceData> = {}) =>
  ({
    type: "allocate",
    ...wanted(change),
    groupName: undefined,
    restrictToNodes: undefined,
  }) as const;
