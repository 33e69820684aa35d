export {
  type BenchOptions,
  benchNames,
  bringUp,
  findBench,
  type ReferenceBench,
  withReferenceCluster,
} from "./bench.js";
export type { DaemonName } from "./daemons.js";
export type { Outcome, RunOptions } from "./inside.js";
export type { ReferenceNode } from "./layout.js";
export { type OwnDaemon, replaceNodeDaemon } from "./own-daemon.js";
export { benchUnavailable, packagesFolder, unpackPackages } from "./packages.js";
export {
  type LuxiExchange,
  type NodeExchange,
  type RapiExchange,
  type Recording,
  traceByNode,
  writeRecording,
} from "./recording.js";
export { type Release, releases } from "./release.js";
export type { HttpAnswer } from "./wires.js";
