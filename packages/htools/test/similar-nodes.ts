// Random clusters on which scores tie.
import type { ClusterData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import type { Dice } from "@ganeti-ts/testkit/simulation";

/** Groups of similar nodes, full to different degrees; the fewer kinds of figures, the more scores tie. */
export function similarNodes(
  dice: Dice,
  groupCount: number,
  nodeCount = dice.between(3, 30),
): ClusterData {
  const kinds = dice.between(1, 3);
  const sizes = dice.between(1, 4);
  const instances = Array.from({ length: dice.between(0, 5 * nodeCount) }, (_, at) => {
    const primary = dice.between(0, nodeCount - 1);
    return anInstance({
      name: `instance${at}`,
      memoryMib: 256 * dice.between(1, sizes),
      disks: [{ sizeMib: 1024 * dice.between(1, sizes), spindles: undefined }],
      diskTemplate: dice.chance(0.9) ? "drbd" : "plain",
      status: dice.chance(0.8) ? "running" : "ADMIN_down",
      forthcoming: dice.chance(0.1),
      primary,
      secondary: (primary + dice.between(1, nodeCount - 1)) % nodeCount,
    });
  });
  const nodes = Array.from({ length: nodeCount }, (_, at) => {
    const kind = dice.between(1, kinds);
    return aNode({
      name: `node${at}`,
      groupIndex: at % groupCount,
      offline: dice.chance(0.05),
      memoryTotalMib: 65536 * kind,
      memoryFreeMib: 512 * kind * dice.between(1, 4 * sizes),
      diskTotalMib: 1_000_000 * kind,
      diskFreeMib: 20_000 * kind * (dice.chance(0.9) ? 10 : 1),
      cpuTotal: dice.chance(0.9) ? 16 : 2,
      spindleTotal: 4,
    });
  });
  const groups = Array.from({ length: groupCount }, (_, at) => aGroup({ name: `group${at}` }));
  return aCluster({
    groups,
    nodes,
    instances: instances.map((one) =>
      one.diskTemplate === "drbd" ? one : { ...one, secondary: -1 },
    ),
  });
}
