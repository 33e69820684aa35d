/** Test kit: builders with sane defaults, and random clusters with requests. */
export { messages, sameEachTime, shapes } from "./arbitraries.js";
export { aCluster, aGroup, aNode, anInstance, aPolicy, aSpec } from "./cluster.js";
export { atEndOfFile, endFile, StoppableClock } from "./left-behind.js";
export type { Shape } from "./random-cluster.js";
export {
  messageOfShape,
  type RandomMessage,
  type RequestType,
  randomMessage,
  requestTypes,
  type Switches,
} from "./random-message.js";
export { isThorough, randomRuns } from "./thorough.js";
export type { Traits } from "./traits.js";
export { wireMessage } from "./wire-message.js";
