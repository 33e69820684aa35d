// Clusters of a few nodes and few sizes, in which much is equal: whatever bounds leave out wrongly, or
// ties decide, some of them show. Made from a seed, cheap enough to try everything on hundreds.
import type { ClusterData, InstanceData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { defaultPolicy } from "../src/index.js";

const cluster = { hypervisor: "xen-pvm" } as const;

/** One group of 2 to 6 nodes; by the seed, drbd, ext or both, nodes away, tags, reservations. */
export function smallCluster(seed: number): ClusterData {
  const dice = new Dice(seed);
  const nodeCount = dice.between(2, 6);
  const templates = dice.pick([["drbd"], ["drbd"], ["ext"], ["drbd", "ext"]] as const);
  const sizes = dice.pick([[1024], [1024, 4096], [512, 1024, 1536, 6144]]);
  const hasTags = dice.chance(0.25);
  const hasLocations = dice.chance(0.25);
  const hasPlanned = dice.chance(0.2);
  // Most primaries on few nodes, so that there is something to balance.
  const crowded = dice.between(1, nodeCount);
  const instances = Array.from({ length: dice.between(2, 12) }, (_, at): InstanceData => {
    const diskTemplate = dice.pick(templates);
    const primary = dice.between(0, crowded - 1);
    const further = 1 + dice.between(0, nodeCount - 2);
    return anInstance({
      name: `instance${at}`,
      memoryMib: dice.pick(sizes),
      disks: [{ sizeMib: dice.pick([10240, 20480]), spindles: undefined }],
      vcpus: dice.pick([1, 1, 2]),
      diskTemplate,
      status: dice.chance(0.9) ? "running" : "ADMIN_down",
      forthcoming: hasPlanned && dice.chance(0.3),
      tags: hasTags && dice.chance(0.5) ? [`service:${dice.between(1, 2)}`] : [],
      primary,
      secondary: diskTemplate === "drbd" ? (primary + further) % nodeCount : -1,
    });
  });
  const memories = dice.pick([[16384], [65536], [8192, 32768]]);
  const hasAway = dice.chance(0.3);
  const nodes = Array.from({ length: nodeCount }, (_, at) => {
    const memoryTotalMib = dice.pick(memories);
    const real = instances.filter((one) => !one.forthcoming);
    const running = real.filter((one) => one.primary === at && one.status === "running");
    const disks = real.filter(
      (one) => one.diskTemplate === "drbd" && [one.primary, one.secondary].includes(at),
    );
    const total = (some: readonly InstanceData[], what: "memoryMib" | "diskMib") =>
      some.reduce((sum, one) => sum + one[what], 0);
    return aNode({
      name: `node${at}`,
      memoryNodeMib: 0,
      memoryTotalMib,
      memoryFreeMib: memoryTotalMib - total(running, "memoryMib"),
      diskFreeMib: 1048576 - total(disks, "diskMib"),
      cpuNode: 0,
      offline: hasAway && dice.chance(0.4),
      tags: hasLocations ? [`rack:${dice.between(1, 2)}`] : [],
    });
  });
  const exclusion = hasTags ? ["htools:iextags:service"] : [];
  const location = hasLocations ? ["htools:nlocation:rack"] : [];
  const groups = [aGroup({ policy: defaultPolicy })];
  return aCluster({ ...cluster, groups, nodes, instances, tags: [...exclusion, ...location] });
}
