/** Simulated nodes for tests, demonstrations and trials. */
export { simulatedScreen } from "./console/screen.js";
export { type ConsoleFacts, simulatedTerminal } from "./console/terminal.js";
export { deviceOn } from "./devices-in-use.js";
export { briskDurations, type Durations, noDurations } from "./durations.js";
export { setEntry } from "./entries.js";
export { type HostSpecification, newHost, noopOs, simulatedSystems } from "./host.js";
export type { DrbdSide, HostState, SharedState, VolumeGroupState } from "./node-state.js";
export {
  type KeptStates,
  keptStates,
  type NodeStates,
  NodeStatesError,
  nodeStatesInMemory,
  SavedTexts,
} from "./node-states.js";
export type { SimulatedNodesOptions } from "./options.js";
export { simulatedAddress } from "./simulated-address.js";
export { SimulatedNodes } from "./simulated-nodes.js";
export { groupSpace } from "./volume-group.js";
export { setVolume } from "./volumes.js";
