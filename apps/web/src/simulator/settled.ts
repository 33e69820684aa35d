/** Data of a cluster after placements, as the start of the next operation. */
import { type Cluster, instanceFigures, nodeFigures } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";

/**
 * `after` as data that load to the same figures. Reported free memory follows the placements, unlike in the text
 * format, where hbal leaves it as reported, so that a second load would miss memory. Cost: O(nodes + instances).
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
