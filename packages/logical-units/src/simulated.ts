/** Nodes that exist only in memory: for tests, demonstrations and trying things out. */
export { briskDurations, type Durations, noDurations } from "./simulated/durations.js";
export type { CallFault } from "./simulated/faults.js";
export { type HostSpecification, noopOs } from "./simulated/host.js";
export type { HostState, SharedState } from "./simulated/node-state.js";
export {
  type KeptStates,
  type NodeStates,
  NodeStatesError,
  nodeStatesInMemory,
  parsedStates,
} from "./simulated/node-states.js";
export { SimulatedNodes, type SimulatedNodesOptions } from "./simulated/simulated-nodes.js";
