/** Where instances go: the placement core of Ganeti's htools, without any input or output. */

// Loading: from the text format, a simulation, or (package protocol) an allocator message.
export { DataError } from "./data-error.js";
export { defaultPolicy } from "./default-policy.js";
export { readClusterText } from "./text-reader.js";
export { writeClusterText } from "./text-writer.js";
export { simulateCluster } from "./simulated-clusters.js";
export { clusterWarnings, type LoadOptions, loadCluster } from "./load.js";
export type { Cluster } from "./cluster.js";

// Asking.
export { type Answered, answerRequest } from "./requests.js";
export type { RequestOptions } from "./request-options.js";

// Asking why.
export { type ExplainOptions, explainRequest } from "./explain/explain-request.js";

// Looking.
export {
  type InstanceFigures,
  instanceFigures,
  type NodeFigures,
  nodeFigures,
  setCpuLoads,
} from "./node-figures.js";
export { type Component, components } from "./metrics.js";
export { scoreOf } from "./score-board.js";
export { formatFixed, formatPositional, formatShow } from "./number-format.js";
export { readInteger } from "./number-reader.js";
