/** What each opcode of a Ganeti cluster needs, checks and does. */

// Every opcode, as what a job queue runs.

export { ExecError, type PrereqCode, PrereqError } from "./errors.js";
export { createExecutor } from "./executor.js";
export type { Resolver } from "./resolver.js";
export type { ChildJobs, Unit, World, WorldPorts } from "./unit.js";

// What nodes can be asked to do.

export type {
  AssembledDevice,
  DeviceAnswer,
  DeviceStatus,
  DiskCalls,
  LocalDiskStatus,
} from "./nodes/disk-calls.js";
export type {
  ExportCalls,
  ExportDescription,
  TransferEnd,
  TransferStatus,
} from "./nodes/export-calls.js";
export type {
  FigureCalls,
  HypervisorFigures,
  LogicalVolume,
  NodeInformation,
  NodeVolume,
  StorageKey,
  StorageSpace,
  Verification,
  VerifyRequest,
} from "./nodes/figure-calls.js";
export type {
  Console,
  HotplugDevice,
  InstanceCalls,
  MigrationStatus,
  RunningInstance,
  RuntimeState,
} from "./nodes/instance-calls.js";
export { answered, failed, markedOffline, type NodeAnswer } from "./nodes/node-answer.js";
export {
  type NodeAddress,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCalls,
  type NodeCallValue,
  sparingOfflineNodes,
} from "./nodes/node-backend.js";
export type {
  DiskOnNode,
  HypervisorOnNode,
  InstanceOnNode,
  NicOnNode,
} from "./nodes/objects.js";
export type { ExtStorageDefinition, OsCalls, OsDefinition } from "./nodes/os-calls.js";
export type { HookResult, MasterAddress, SetupCalls } from "./nodes/setup-calls.js";
export {
  type StorageCalls,
  type StorageUnitField,
  storageUnitFields,
} from "./nodes/storage-calls.js";
