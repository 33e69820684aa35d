/** Instance as seen by placement: its requirements, independent of its nodes. */
import type { InstanceData } from "@ganeti-ts/protocol";
import { usesLocalStorage } from "./disk-template.js";
import type { TagRules } from "./tag-rules.js";

export interface Instance {
  readonly data: InstanceData;
  /** Position in the cluster; -1 while it is not part of it. */
  readonly index: number;
  readonly memoryMib: number;
  /** Disk charged to a node if `local`. */
  readonly diskMib: number;
  readonly vcpus: number;
  readonly spindleUse: number;
  /** Sum over the disks; undefined if any disk has no number. */
  readonly spindles: number | undefined;
  readonly forthcoming: boolean;
  /** Its disks are local to nodes: it consumes node disk and spindles. */
  readonly local: boolean;
  /** It uses memory on its primary now. */
  readonly usesMemory: boolean;
  /** Its secondary reserves memory for it. */
  readonly reservesMemory: boolean;
  readonly countsVcpus: boolean;
  readonly exclusionTags: readonly string[];
  readonly desiredLocations: readonly string[];
  /** Measured load, or 1 each without measurements. */
  readonly load: Load;
}

/** Load of an instance in each of four resources; 1 each where nothing was measured. */
export interface Load {
  readonly cpu: number;
  readonly memory: number;
  readonly disk: number;
  readonly network: number;
}

export const unitLoad: Load = { cpu: 1, memory: 1, disk: 1, network: 1 };
export const zeroLoad: Load = { cpu: 0, memory: 0, disk: 0, network: 0 };

const usingMemory = new Set<InstanceData["status"]>([
  "running",
  "ERROR_up",
  "ERROR_nodedown",
  "ERROR_nodeoffline",
  "ERROR_wrongnode",
]);

/** Whether a real instance of this status uses memory now. */
export const usesMemoryAs = (status: InstanceData["status"]): boolean => usingMemory.has(status);

export function makeInstance(
  data: InstanceData,
  index: number,
  tagRules: TagRules,
  load: Load = unitLoad,
): Instance {
  const offline = data.status === "ADMIN_offline";
  return {
    data,
    index,
    memoryMib: data.memoryMib,
    diskMib: data.diskMib,
    vcpus: data.vcpus,
    spindleUse: data.spindleUse,
    spindles: totalSpindles(data),
    forthcoming: data.forthcoming,
    local: usesLocalStorage(data.diskTemplate),
    usesMemory: !data.forthcoming && usesMemoryAs(data.status),
    reservesMemory: data.autoBalance && !offline,
    countsVcpus: !offline,
    exclusionTags: tagRules.exclusionTags(data.tags),
    desiredLocations: tagRules.desiredLocations(data.tags),
    load,
  };
}

function totalSpindles({ disks }: InstanceData): number | undefined {
  let total = 0;
  for (let i = 0; i < disks.length; i++) {
    const spindles = disks[i]?.spindles;
    if (spindles === undefined) return undefined;
    total += spindles;
  }
  return total;
}

/**
 * Free spindles of a node after the instance is added (`sign` 1) or removed (-1). An instance without a known
 * number takes all of them, and returns none.
 */
export function spindlesAfter(free: number, { spindles }: Instance, sign: 1 | -1): number {
  if (spindles === undefined) return sign > 0 ? -1 : free;
  return free - sign * spindles;
}
