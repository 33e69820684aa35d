/** settledData: data of a cluster after placements, for the next operation. */
import { type Cluster, instanceFigures, nodeFigures } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";

/**
 * Data that load to the same figures as `after`. Reported free memory follows the placements, unlike in hbal's text
 * format, which keeps the reported value, so that memory would be missing after a second load. Cost: O(nodes + instances).
 *
 * @param before the same cluster as loaded from `before.data`
 */
export function settledData(before: Cluster, after: Cluster): ClusterData {
  const { data } = before;
  const nodes = data.nodes.map((node, index) => {
    const old = nodeFigures(before, index);
    const now = nodeFigures(after, index);
    return {
      ...node,
      memoryFreeMib: node.memoryFreeMib + now.memoryUnallocatedMib - old.memoryUnallocatedMib,
      diskFreeMib: node.diskFreeMib + now.diskFreeMib - old.diskFreeMib,
      spindleFree: node.spindleFree + now.spindlesFree - old.spindlesFree,
    };
  });
  const instances = Array.from({ length: after.instanceCount }, (_, index) => {
    const { data: instance, primary, secondary } = instanceFigures(after, index);
    return { ...instance, primary, secondary };
  });
  return { ...data, nodes, instances };
}
