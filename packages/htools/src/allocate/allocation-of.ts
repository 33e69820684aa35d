/** A request to place one instance, with defaults for all that is not said. */
import {
  type AllocatorRequest,
  type DiskTemplate,
  drbdMetadataMib,
  isMirrored,
} from "@ganeti-ts/protocol";

/** An instance to place. Sizes are whole MiB. */
export interface NewAllocation {
  /** Full name; no instance of the cluster has it. */
  readonly name: string;
  readonly memoryMib: number;
  /** Sizes of the disks, without metadata: `[20480, 1024]`. Default: none. */
  readonly disksMib?: readonly number[];
  /** Spindles of each disk, for clusters with exclusive storage; as many as there are disks. */
  readonly diskSpindles?: readonly number[];
  /** Default: `drbd` with disks, `diskless` without. */
  readonly diskTemplate?: DiskTemplate;
  /** Default: 1. */
  readonly vcpus?: number;
  /** Default: 1. */
  readonly spindleUse?: number;
  /** Tags that count for placement, such as those under the exclusion prefixes of the cluster. Default: none. */
  readonly tags?: readonly string[];
  /** UUID of the network of each NIC, null for one without. Default: no NIC, so that every group is connected. */
  readonly networks?: readonly (string | null)[];
  /** Default: true. */
  readonly autoBalance?: boolean;
  /** Name or UUID of the only group to look at. Default: all groups. */
  readonly groupName?: string;
  /** Full names of the only nodes to look at. Default: all nodes. */
  readonly restrictToNodes?: readonly string[];
}

/**
 * The request that `answerRequest` and `explainRequest` take: one node is asked for, two with drbd, whose metadata of
 * 128 MiB a disk is added.
 *
 * @throws RangeError for a size or count that is not a whole number from 0 on, or a wrong number of spindles
 */
export function allocationOf(wanted: NewAllocation): AllocatorRequest & { type: "allocate" } {
  const { name, memoryMib, disksMib = [], diskSpindles, vcpus = 1, spindleUse = 1 } = wanted;
  const { diskTemplate = disksMib.length > 0 ? "drbd" : "diskless" } = wanted;
  if (diskSpindles !== undefined && diskSpindles.length !== disksMib.length) {
    throw new RangeError(
      `${name}: spindles of ${diskSpindles.length} disks, not ${disksMib.length}`,
    );
  }
  for (const amount of [memoryMib, vcpus, spindleUse, ...disksMib, ...(diskSpindles ?? [])]) {
    if (Number.isSafeInteger(amount) && amount >= 0) continue;
    throw new RangeError(`${name}: ${amount} is not a whole number from 0 on`);
  }
  const metadataMib = isMirrored(diskTemplate) ? drbdMetadataMib : 0;
  return {
    type: "allocate",
    groupName: wanted.groupName,
    restrictToNodes: wanted.restrictToNodes,
    requiredNodes: isMirrored(diskTemplate) ? 2 : 1,
    instance: {
      name,
      memoryMib,
      diskMib: disksMib.reduce((total, sizeMib) => total + sizeMib + metadataMib, 0),
      disks: disksMib.map((sizeMib, at) => ({ sizeMib, spindles: diskSpindles?.[at] })),
      vcpus,
      spindleUse,
      diskTemplate,
      status: "running",
      autoBalance: wanted.autoBalance ?? true,
      forthcoming: false,
      tags: wanted.tags ?? [],
      networks: wanted.networks ?? [],
      primary: -1,
      secondary: -1,
    },
  };
}
