/** Placement core of Ganeti's htools, without any input or output. */

// Loading: from the text format, a simulation, or (package protocol) an allocator message.

export { KeptCluster } from "./kept/kept-cluster.js";
export type { Cluster } from "./model/cluster.js";
export type { At, ClusterChange } from "./model/cluster-change.js";
export {
  badItems,
  type ClusterView,
  groupView,
  splitInstances,
} from "./model/cluster-views.js";
export { DataError } from "./model/data-error.js";
export { defaultPolicy } from "./model/default-policy.js";
export type { Load } from "./model/instance.js";
export {
  clusterWarnings,
  kvmNodeMemoryMib,
  type LoadOptions,
  loadCluster,
} from "./model/load.js";
export { changeNodes } from "./model/node-changes.js";
export { stuckNodes } from "./n1/capacity-check.js";
export { simulateCluster } from "./text/simulated-clusters.js";
export { readClusterText } from "./text/text-reader.js";
export { writeClusterText } from "./text/text-writer.js";

// Answering requests.

export { allocationOf } from "./allocate/allocation-of.js";
export { type RequestOptions, requestDefaults } from "./allocate/request-options.js";
export { finished, type InParts } from "./parts.js";
export { type Answered, answerInParts, answerRequest } from "./requests.js";

// Explaining answers, and finding changes that would alter them.

export { applyChange, oneLess, type Question } from "./explain/apply-change.js";
export { explainInParts, explainRequest } from "./explain/explain-request.js";

// Balancing.

export {
  type Balanced,
  type BalanceProgress,
  type BalanceStep,
  balance,
  balanceInParts,
} from "./balance/balance.js";
export type { BalanceMove } from "./balance/balance-move.js";
export { type BalanceOptions, balanceDefaults } from "./balance/balance-options.js";
export { balanceRequestOf } from "./balance/balance-request.js";
export { jobSetLines, jobSets } from "./balance/job-sets.js";
export {
  instanceAlias,
  moveCommands,
  moveJob,
  moveText,
  nodeAlias,
} from "./balance/move-steps.js";
export { optimum } from "./balance/optimum.js";

// Rebooting nodes in groups.

export {
  type Colouring,
  colouringStatistics,
  colourings,
  fewestColours,
} from "./reboots/colouring.js";
export { graphText, rebootGraph } from "./reboots/graph.js";
export { type RebootGroup, type RebootMove, rebootGroups } from "./reboots/reboot-groups.js";
export { nodesToReboot } from "./reboots/selection.js";

// Measuring free capacity.

export {
  type CapacityPlan,
  type CapacityRun,
  finishCapacity,
  planCapacity,
  standardCapacity,
  tieredCapacity,
  tiersOf,
} from "./capacity/capacity.js";
export type { CapacitySteps } from "./capacity/fixed-run.js";
export { groupsThatBreakN1 } from "./capacity/scope.js";
export type { Placed } from "./capacity/session.js";
export { type ClusterStatistics, clusterStatistics } from "./capacity/statistics.js";
export type { TrialSpec } from "./capacity/trial.js";

// Switching off nodes.

export { offlineCandidates, onlineCandidates, standbyTag } from "./squeeze/candidates.js";
export { type SqueezePlan, squeeze } from "./squeeze/squeeze.js";

// Figures.

export { components } from "./score/metrics.js";
export { metricsOf, scoreOf } from "./score/score-board.js";
export { policyRecord } from "./text/haskell-text.js";
export {
  instanceFigures,
  type NodeFigures,
  nodeFigures,
  setCpuLoads,
} from "./text/node-figures.js";
export { formatFixed, formatGeneral, formatShow } from "./text/number-format.js";
export { readFloat, readInteger, readSize } from "./text/number-reader.js";
