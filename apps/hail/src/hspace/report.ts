/** Interface of a report of hspace: its parts in the order in which they become known. */
import type { CapacityPlan, CapacityRun, ClusterStatistics } from "@ganeti-ts/htools";

export interface Before {
  readonly plan: CapacityPlan;
  readonly statistics: ClusterStatistics;
}

export interface After {
  readonly run: CapacityRun;
  readonly statistics: ClusterStatistics;
}

export interface Report {
  readonly start: (before: Before) => string;
  /** The specification tried; printed before any other result of the run. */
  readonly tieredSpec: (before: Before, run: CapacityRun) => string;
  readonly tiered: (before: Before, tiered: After) => string;
  readonly standardSpec: (before: Before, run: CapacityRun) => string;
  readonly standard: (before: Before, tiered: After, standard: After) => string;
}

/** Whether to report spindles: some node has exclusive storage. */
export const tellsSpindles = ({ plan: { cluster } }: Before): boolean =>
  cluster.data.nodes.some(({ exclusiveStorage }) => exclusiveStorage);

/** Used fractions of memory, disk, vCPUs and spindles; NaN if the total is zero. */
export const efficiencies = (statistics: ClusterStatistics) => ({
  memory: statistics.memoryInstances / statistics.memoryTotal,
  disk: statistics.diskInstances / statistics.diskTotal,
  vcpu: statistics.vcpusUsed / statistics.vcpus,
  spindles: statistics.spindlesUsed / statistics.spindlesTotal,
});
