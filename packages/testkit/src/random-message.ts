/** Random allocator messages: a cluster, with a sensible or odd request. */
import type { AllocatorMessage, AllocatorRequest, ClusterData, Wanted } from "@ganeti-ts/protocol";
import { type Shape, throwCluster } from "./random-cluster.js";
import { throwDescription } from "./random-instance.js";
import { Dice } from "./simulation/dice.js";
import { type Traits, throwTraits } from "./traits.js";

/** Ganeti's own request types. */
export type RequestType = Exclude<AllocatorRequest["type"], "balance" | "capacity">;

export const requestTypes: readonly RequestType[] = [
  "allocate",
  "multi-allocate",
  "allocate-secondary",
  "relocate",
  "node-evacuate",
  "change-group",
];

/** Options of hail's command line for a message. */
export interface Switches {
  readonly ignoreSoftErrors: boolean;
  readonly capacityChecks: boolean;
}

export interface RandomMessage {
  readonly message: AllocatorMessage;
  readonly switches: Switches;
  readonly traits: Traits;
}

/** A message small enough to read, the same for the same seed. */
export function randomMessage(seed: number, type: RequestType): RandomMessage {
  const dice = new Dice(seed);
  const nodeCount = dice.between(1, 7);
  const shape: Shape = {
    seed: dice.between(0, 2 ** 31),
    groupCount: dice.pick([1, 1, 1, 2, 3]),
    nodeCount,
    instanceCount: dice.between(0, 2 * nodeCount),
  };
  return messageOfShape(shape, type);
}

/** @param change traits set by the caller instead of chosen at random */
export function messageOfShape(
  shape: Shape,
  type: RequestType,
  change: Partial<Traits> = {},
): RandomMessage {
  const dice = new Dice(shape.seed);
  const traits = { ...throwTraits(dice), ...change };
  const cluster = throwCluster(dice, shape, traits);
  const switches = { ignoreSoftErrors: dice.chance(0.15), capacityChecks: dice.chance(0.75) };
  return {
    message: { cluster, request: throwRequest(dice, cluster, type, traits) },
    switches,
    traits,
  };
}

/** An allocation if the cluster has no objects for the request. */
function throwRequest(
  dice: Dice,
  cluster: ClusterData,
  type: RequestType,
  traits: Traits,
): AllocatorRequest {
  const { instances, groups } = cluster;
  const indices = instances.map((_, index) => index);
  switch (type) {
    case "allocate":
      return throwAllocation(dice, cluster, traits);
    case "multi-allocate": {
      const wanted = Array.from({ length: dice.between(0, 4) }, (_, at) =>
        throwWanted(dice, `new${at}${traits.domain}`, traits),
      );
      // The name is read with each instance, so a message without instances has none.
      const groupName = wanted.length > 0 ? throwGroupName(dice, cluster) : undefined;
      return { type, wanted, groupName };
    }
    case "allocate-secondary": {
      const single = indices.filter((at) => (instances[at]?.secondary as number) < 0);
      const asked = single.length > 0 && dice.chance(0.9) ? single : indices;
      if (asked.length === 0) return throwAllocation(dice, cluster, traits);
      return { type, instanceIndex: dice.pick(asked) };
    }
    case "relocate": {
      if (indices.length === 0) return throwAllocation(dice, cluster, traits);
      const instanceIndex = dice.pick(indices);
      const { primary, secondary } = instances[instanceIndex] as ClusterData["instances"][number];
      const usual = [secondary >= 0 ? secondary : primary];
      const relocateFrom = dice.chance(0.9)
        ? usual
        : dice.pick([[primary], [], [primary, primary]]);
      return { type, instanceIndex, requiredNodes: dice.chance(0.95) ? 1 : 2, relocateFrom };
    }
    case "node-evacuate": {
      const mode = dice.pick(["primary-only", "secondary-only", "all", "all"] as const);
      return { type, instanceIndices: dice.shuffled(dice.some(indices)), mode };
    }
    case "change-group": {
      const targetGroups = dice.chance(0.5) ? [] : dice.some(groups.map((_, index) => index));
      return { type, instanceIndices: dice.shuffled(dice.some(indices, 0.4)), targetGroups };
    }
  }
}

function throwAllocation(dice: Dice, cluster: ClusterData, traits: Traits): AllocatorRequest {
  const names = cluster.nodes.map(({ name }) => name);
  return {
    type: "allocate",
    ...throwWanted(dice, `new${traits.domain}`, traits),
    groupName: throwGroupName(dice, cluster),
    restrictToNodes: dice.chance(0.1) ? dice.some([...names, "unknown"], 0.7) : undefined,
  };
}

function throwWanted(dice: Dice, name: string, traits: Traits): Wanted {
  const instance = throwDescription(dice, name, traits);
  const usual = instance.diskTemplate === "drbd" ? 2 : 1;
  if (usual === 2 || dice.chance(0.97)) return { instance, requiredNodes: usual };
  return { instance, requiredNodes: dice.pick([0, 2, 3]) };
}

function throwGroupName(dice: Dice, { groups }: ClusterData): string | undefined {
  if (dice.chance(0.75)) return undefined;
  const { name, uuid } = dice.pick(groups);
  return dice.pick([name, name, name, uuid, "unknown"]);
}
