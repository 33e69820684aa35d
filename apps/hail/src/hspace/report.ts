/** What hspace has to tell, part by part, as each becomes known. */
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
  /** What was tried; printed before anything else is said of the run. */
  readonly tieredSpec: (before: Before, run: CapacityRun) => string;
  readonly tiered: (before: Before, tiered: After) => string;
  readonly standardSpec: (before: Before, run: CapacityRun) => string;
  readonly standard: (before: Before, tiered: After, standard: After) => string;
}

/** Where any node has exclusive storage, spindles are told too. */
export const tellsSpindles = ({ plan: { cluster } }: Before): boolean =>
  cluster.data.nodes.some(({ exclusiveStorage }) => exclusiveStorage);

/** Used parts of the whole: of memory, disk, vCPUs and spindles; NaN where there is nothing. */
export const efficiencies = (statistics: ClusterStatistics) => ({
  memory: statistics.memoryInstances / statistics.memoryTotal,
  disk: statistics.diskInstances / statistics.diskTotal,
  vcpu: statistics.vcpusUsed / statistics.vcpus,
  spindles: statistics.spindlesUsed / statistics.spindlesTotal,
});
