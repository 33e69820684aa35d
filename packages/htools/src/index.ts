/** Where instances go: the placement core of Ganeti's htools, without any input or output. */

// Loading: from the text format, a simulation, or (package protocol) an allocator message.

export { stuckNodes } from "./capacity-check.js";
export type { Cluster } from "./cluster.js";
export {
  badItems,
  type ClusterView,
  groupView,
  splitInstances,
} from "./cluster-views.js";
export { DataError } from "./data-error.js";
export { defaultPolicy } from "./default-policy.js";
export { findName } from "./find-name.js";
export type { Load } from "./instance.js";
export { clusterWarnings, type LoadOptions, loadCluster } from "./load.js";
export { changeNodes, type NodeChanges } from "./node-changes.js";
export { simulateCluster } from "./simulated-clusters.js";
export { readClusterText } from "./text-reader.js";
export { writeClusterText } from "./text-writer.js";

// Asking.

export type { RequestOptions } from "./request-options.js";
export { type Answered, answerRequest } from "./requests.js";

// Asking why, and what would change the answer.

export { applyChange, oneLess, type Question } from "./explain/apply-change.js";
export { type ExplainOptions, explainRequest } from "./explain/explain-request.js";

// Balancing.

export {
  type Balanced,
  type BalanceProgress,
  type BalanceStep,
  type BalanceWatch,
  balance,
} from "./balance/balance.js";
export type { BalanceMove } from "./balance/balance-move.js";
export { type BalanceOptions, balanceDefaults } from "./balance/balance-options.js";
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
  type ColouringName,
  colouringStatistics,
  colourings,
  fewestColours,
} from "./reboots/colouring.js";
export { graphText, type RebootGraph, rebootGraph } from "./reboots/graph.js";
export {
  type RebootGroup,
  type RebootMove,
  type RebootOptions,
  type RebootWatch,
  rebootGroups,
} from "./reboots/reboot-groups.js";
export { nodesToReboot, type Selection } from "./reboots/selection.js";

// Measuring what there is room for.

export {
  type CapacityOptions,
  type CapacityPlan,
  type CapacityRun,
  type CapacityWatch,
  finishCapacity,
  planCapacity,
  standardCapacity,
  tieredCapacity,
  tiersOf,
} from "./capacity/capacity.js";
export type { CapacityStep, CapacitySteps } from "./capacity/fixed-run.js";
export { groupsThatBreakN1 } from "./capacity/ground.js";
export type { Placed } from "./capacity/session.js";
export { type ClusterStatistics, clusterStatistics } from "./capacity/statistics.js";
export type { TrialSpec } from "./capacity/trial.js";

// Doing with fewer nodes.

export { offlineCandidates, onlineCandidates, standbyTag } from "./squeeze/candidates.js";
export {
  type SqueezeOptions,
  type SqueezePlan,
  type SqueezeProgress,
  type SqueezeWatch,
  squeeze,
} from "./squeeze/squeeze.js";

// Looking.

export { policyRecord } from "./haskell-text.js";
export { type Component, components } from "./metrics.js";
export {
  type InstanceFigures,
  instanceFigures,
  type NodeFigures,
  nodeFigures,
  setCpuLoads,
} from "./node-figures.js";
export { formatFixed, formatGeneral, formatPositional, formatShow } from "./number-format.js";
export { readFloat, readInteger, readSize } from "./number-reader.js";
export { metricsOf, scoreOf } from "./score-board.js";
