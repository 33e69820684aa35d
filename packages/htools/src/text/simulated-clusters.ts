/** Empty clusters made from specifications such as `preferred,20,1t,64g,16`, one per node group. */
import {
  type AllocationPolicy,
  allocationPolicies,
  type ClusterData,
  type GroupData,
  type NodeData,
} from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";
import { defaultPolicy } from "../model/default-policy.js";
import { readInteger, readSize, readTruth } from "./number-reader.js";
import { readList, readWord } from "./text-reader-columns.js";

/**
 * Makes one group of equal, empty nodes per specification
 * `policy,nodes,disk,memory,cpus[,spindles[,exclusive storage]]`. The policy may be `p`, `a` (last
 * resort) or `u`; disk and memory may carry units.
 *
 * Groups and nodes are numbered from 1. As in Ganeti, the last specification makes the first group.
 * Free spindles are 0 even with exclusive storage.
 * Source: Ganeti, HTools/Backend/Simu.hs.
 */
export function simulateCluster(specifications: readonly string[]): ClusterData {
  const specs = specifications.toReversed().map(readSpecification);
  return {
    groups: specs.map(({ allocationPolicy }, group) => makeGroup(allocationPolicy, group)),
    nodes: specs.flatMap(({ nodeCount, node }, group) =>
      Array.from({ length: Math.max(0, nodeCount) }, (_, index) => ({
        ...node,
        name: `node-${numbered(group, 2)}-${numbered(index, 3)}`,
        groupIndex: group,
        master: group === 0 && index === 0,
      })),
    ),
    instances: [],
    tags: [],
    policy: undefined,
    hypervisor: undefined,
  };
}

interface Specification {
  readonly allocationPolicy: AllocationPolicy;
  readonly nodeCount: number;
  readonly node: Omit<NodeData, "name" | "groupIndex" | "master">;
}

function readSpecification(text: string): Specification {
  const fields = readList(text);
  if (fields.length < 5 || fields.length > 7) {
    throw new DataError(
      "Invalid cluster specification, expected 6 comma-separated sections (allocation policy, " +
        "node count, disk size, memory size, number of CPUs, spindles) " +
        `but got ${fields.length}: '${text}'`,
    );
  }
  const [policy, nodes, disk, memory, cpus] = fields as [string, string, string, string, string];
  const [spindles = "1", exclusive = "False"] = fields.slice(5);
  // The order of reading decides which of several errors is reported.
  const allocationPolicy = readAllocationPolicy(policy);
  const nodeCount = readInteger(nodes, "node count");
  const diskMib = readSize(disk, "disk size");
  const memoryMib = readSize(memory, "memory size");
  const cpuTotal = readInteger(cpus, "cpu count");
  const spindleTotal = readInteger(spindles, "spindles");
  const exclusiveStorage = readTruth(exclusive, "exclusive storage");
  return {
    allocationPolicy,
    nodeCount,
    node: {
      offline: false,
      memoryTotalMib: memoryMib,
      memoryNodeMib: 0,
      memoryFreeMib: memoryMib,
      diskTotalMib: diskMib,
      diskFreeMib: diskMib,
      cpuTotal,
      cpuNode: 1,
      spindleTotal,
      spindleFree: 0,
      exclusiveStorage,
      tags: [],
      cpuSpeed: 1,
    },
  };
}

const abbreviations: Readonly<Record<string, AllocationPolicy>> = {
  p: "preferred",
  a: "last_resort",
  u: "unallocable",
};

function readAllocationPolicy(text: string): AllocationPolicy {
  const abbreviated = Object.hasOwn(abbreviations, text) ? abbreviations[text] : undefined;
  if (abbreviated !== undefined) return abbreviated;
  try {
    return readWord(text, allocationPolicies, "AllocPolicy");
  } catch (error) {
    const { message } = error as DataError;
    throw new DataError(`${message}; Cannot parse AllocPolicy abbreviation '${text}'`);
  }
}

const makeGroup = (allocationPolicy: AllocationPolicy, group: number): GroupData => ({
  name: `group-${numbered(group, 2)}`,
  uuid: `fake-uuid-${numbered(group, 2)}`,
  allocationPolicy,
  networks: [],
  tags: [],
  policy: defaultPolicy,
});

/** Positions count from 0, names from 1. */
const numbered = (position: number, digits: number) => String(position + 1).padStart(digits, "0");
