// Twins: a cluster of simulated nodes with the configuration and the figures of a running one.

export { DiskMaker, type DiskOwner, type WantedDisk } from "./twin/disk-maker.js";
export { originOfText } from "./twin/from-text.js";
export { type Machines, machinesOf } from "./twin/machines.js";
export { makeTwin, type TwinStores } from "./twin/make-twin.js";
export {
  type Figures,
  type InstanceState,
  type MachineFigures,
  type Making,
  TwinError,
  type TwinOrigin,
} from "./twin/origin.js";
export { type OriginOptions, readOrigin } from "./twin/read-origin.js";
export type { RemoteAccess } from "./twin/remote-cluster.js";

// Shadows: follow the files of a running cluster, and compare its answers with ours.

export {
  type Ask,
  type Comparison,
  compareAnswers,
  differenceText,
  type Sides,
} from "./shadow/compare-answers.js";
export type { Difference } from "./shadow/comparison.js";
export { FileQueue, type FileQueueOptions } from "./shadow/file-queue.js";
export { type FollowedConfig, followConfig } from "./shadow/followed-config.js";
export { lookingNodes } from "./shadow/looking-nodes.js";
