/** The port to nodes: every call, its arguments and value, and the answers. */

// Asking a node.

export { answered, failed, markedOffline, type NodeAnswer } from "./node-answer.js";
export {
  type NodeAddress,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCalls,
  type NodeCallValue,
  sparingOfflineNodes,
} from "./node-backend.js";
export { RefusingNodes, type RefusingNodesPorts } from "./refusing-nodes.js";
export type { Resolver } from "./resolver.js";

// Objects as nodes get them.

export type { DiskOnNode, HypervisorOnNode, InstanceOnNode, NicOnNode } from "./objects.js";

// The calls, by area.

export type {
  AssembledDevice,
  DeviceAnswer,
  DeviceStatus,
  DiskCalls,
  LocalDiskStatus,
  UpMirror,
} from "./disk-calls.js";
export type {
  ExportCalls,
  ExportDescription,
  TransferEnd,
  TransferStatus,
} from "./export-calls.js";
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
} from "./figure-calls.js";
export type {
  Console,
  HotplugDevice,
  InstanceCalls,
  MigrationStatus,
  RunningInstance,
  RuntimeState,
} from "./instance-calls.js";
export type { ExtStorageDefinition, OsCalls, OsDefinition } from "./os-calls.js";
export type { HookResult, MasterAddress, SetupCalls } from "./setup-calls.js";
export { type StorageCalls, type StorageUnitField, storageUnitFields } from "./storage-calls.js";

// Paths on nodes.

export {
  configurationDirectory,
  dataDirectory,
  exportDirectory,
  keyDirectory,
} from "./paths.js";
