/** Random plausible clusters: figures reported by nodes are consistent with their instances. */
import type { ClusterData, GroupData, InstanceData } from "@ganeti-ts/protocol";
import { aGroup } from "./cluster.js";
import { throwDescription } from "./random-instance.js";
import { type Hardware, throwHardware, throwNode } from "./random-node.js";
import { throwPolicy } from "./random-policy.js";
import type { Dice } from "./simulation/dice.js";
import type { Traits } from "./traits.js";

/** Size of a random cluster, and the seed. */
export interface Shape {
  readonly seed: number;
  readonly groupCount: number;
  readonly nodeCount: number;
  readonly instanceCount: number;
}

const networks = ["network-1", "network-2"];

export function throwCluster(dice: Dice, shape: Shape, traits: Traits): ClusterData {
  const groups = Array.from({ length: shape.groupCount }, (_, at) => throwGroup(dice, at, traits));
  const groupOf = Array.from({ length: shape.nodeCount }, () => dice.between(0, groups.length - 1));
  const hardware = throwHardware(dice, groupOf.length, traits);
  const instances: InstanceData[] = [];
  const room = hardware.map(freeOf);
  for (let at = 0; at < shape.instanceCount; at++) {
    const placed = placeSomewhere(dice, at, { groupOf, hardware, room }, traits);
    if (placed !== undefined) instances.push(placed);
  }
  const nodes = hardware.map((machine, node) =>
    throwNode(dice, machine, { node, groupIndex: groupOf[node] as number, instances }, traits),
  );
  return {
    groups,
    nodes,
    instances,
    tags: clusterTags(traits),
    policy: undefined,
    hypervisor: traits.hypervisor,
  };
}

const letters = "abcdefgh";

function throwGroup(dice: Dice, at: number, traits: Traits): GroupData {
  return aGroup({
    name: `group-${letters[at]}`,
    uuid: `uuid-${letters[at]}`,
    allocationPolicy: dice.pick(["preferred", "preferred", "last_resort", "unallocable"]),
    networks: traits.networks ? dice.some(networks, 0.7) : [],
    tags: dice.chance(0.1) ? ["colour:red", 'with "quotes" and \\'] : [],
    policy: throwPolicy(dice, traits),
  });
}

interface Room {
  memoryMib: number;
  diskMib: number;
}

/** Columns of the nodes: groups, hardware and free resources. */
interface Nodes {
  readonly groupOf: readonly number[];
  readonly hardware: readonly Hardware[];
  readonly room: readonly Room[];
}

const freeOf = ({ memoryTotalMib, memoryNodeMib, diskTotalMib }: Hardware): Room => ({
  memoryMib: memoryTotalMib - memoryNodeMib,
  diskMib: diskTotalMib,
});

/** Tries a few nodes for one with room; on a tight cluster uses any node that is not overfull. */
function placeSomewhere(
  dice: Dice,
  at: number,
  { groupOf, hardware, room }: Nodes,
  traits: Traits,
): InstanceData | undefined {
  const name = `inst${at}${traits.domain}`;
  for (let attempt = 0; attempt < 4; attempt++) {
    const primary = dice.between(0, groupOf.length - 1);
    const description = throwDescription(dice, name, traits);
    const mirrored = description.diskTemplate === "drbd";
    const others = groupOf.flatMap((group, node) =>
      group === groupOf[primary] && node !== primary ? [node] : [],
    );
    if (mirrored && others.length === 0) continue;
    const secondary = mirrored ? dice.pick(others) : -1;
    const spare = traits.room === "roomy" ? 0.5 : traits.room === "usual" ? 0.2 : -0.05;
    const nodes = mirrored ? [primary, secondary] : [primary];
    const fits = nodes.every((node) => {
      const { memoryTotalMib, diskTotalMib } = hardware[node] as Hardware;
      const left = room[node] as Room;
      return (
        left.memoryMib - description.memoryMib > spare * memoryTotalMib &&
        left.diskMib - description.diskMib > Math.max(0, spare) * diskTotalMib
      );
    });
    if (!fits) continue;
    (room[primary] as Room).memoryMib -= description.memoryMib;
    for (const node of nodes) (room[node] as Room).diskMib -= description.diskMib;
    return { ...description, primary, secondary };
  }
  return undefined;
}

function clusterTags(traits: Traits): string[] {
  return [
    "unrelated",
    ...(traits.exclusionTags ? ["htools:iextags:service", "htools:iextags:owner:"] : []),
    ...(traits.locationTags || traits.desiredLocations ? ["htools:nlocation:rack"] : []),
    ...(traits.locationTags ? ["htools:nlocation:power"] : []),
    ...(traits.desiredLocations ? ["htools:desiredlocation:rack"] : []),
    ...(traits.migrationTags
      ? ["htools:migration:cpu", "htools:allowmigration:cpu:old::cpu:new"]
      : []),
  ];
}
