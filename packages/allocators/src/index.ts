/** Instance allocators: the built-in hail, and external programs behind a port. */

// Calling allocators.

export { Allocators, type Asking } from "./allocators.js";
export { inTurns, type Turn } from "./in-turns.js";
export { allocatorNames, defaultAllocators } from "./names.js";
export { type FiguresOptions, NodeFigures } from "./node-figures.js";
export { nodeMemoryMib } from "./node-memory.js";
export type { AllocatorRunner } from "./runner.js";

// Requests and answers.

export { nodesOf } from "./instance-nodes.js";
export {
  type RequestEntry,
  type WantedEntry,
  type WantedInstance,
  wantedEntry,
} from "./requests.js";
export type {
  Allocation,
  Balance,
  Capacity,
  Evacuation,
  MultiAllocation,
} from "./results.js";

// The message for programs.

export { clusterEntries } from "./cluster-entries.js";
export { diskSpaceMib } from "./disk-space.js";
export type { LiveNode } from "./live-nodes.js";
export { allocatorMessage } from "./message.js";
export { messageText } from "./message-text.js";
