/** The port to nodes: every call, its arguments and value, and the answers. */

// Asking a node.

export type {
  DiskCalls,
  ExportCalls,
  FigureCalls,
  InstanceCalls,
  NodeCallArguments,
  NodeCallName,
  NodeCalls,
  NodeCallValue,
  OsCalls,
  QueueCalls,
  SetupCalls,
  StorageCalls,
} from "./call-types.js";
export type { Fence } from "./fence.js";
export { answered, failed, markedOffline, type NodeAnswer } from "./node-answer.js";
export {
  type NodeAddress,
  type NodeBackend,
  type NodeCaller,
  sparingOfflineNodes,
} from "./node-backend.js";
export { RefusingNodes } from "./refusing-nodes.js";

// The machine of the server, and the names of others.

export type { CertificateFault, MasterFile, MasterHost, SecondCertificate } from "./master-host.js";
export type { Resolver } from "./resolver.js";

// Objects as nodes get them.

export type { DiskOnNode, LogicalId, MirrorEnds } from "./objects/disk.js";
export { diskText } from "./objects/disk-text.js";
export type { HypervisorOnNode } from "./objects/hypervisor.js";
export type { InstanceOnNode, NicOnNode, StoredObject } from "./objects/instance.js";
export type { Upload } from "./objects/upload.js";

// The calls, by area.

export type { TimeoutClass } from "./call.js";
export type {
  AssembledDevice,
  DeviceAnswer,
  DeviceStatus,
  LocalDiskStatus,
} from "./disks/calls.js";
export type {
  ExportDescription,
  TransferEnd,
  TransferOptions,
  TransferStatus,
} from "./exports/calls.js";
export type {
  HypervisorFigures,
  LogicalVolume,
  NodeInformation,
  NodeVolume,
  StorageKey,
  StorageSpace,
} from "./figures/figures.js";
export type { Fault, PhysicalVolume, Verification, VerifyRequest } from "./figures/verification.js";
export type { HotplugDevice, RunningInstance, RuntimeState } from "./instances/calls.js";
export type { Console, ConsoleRequest } from "./instances/console.js";
export type { MigrationStatus } from "./instances/migration-calls.js";
export type { ExtStorageDefinition, OsDefinition } from "./os/calls.js";
export type { HookResult, MasterAddress } from "./setup/calls.js";
export { type StorageUnitField, storageUnitFields } from "./storage/fields.js";

// Texts and paths on nodes.

export { exportDescription } from "./exports/description.js";
export {
  allocatorSearchPath,
  configurationDirectory,
  dataDirectory,
  diskLinkDirectory,
  exportDirectory,
  fileStorageDirectory,
  forbiddenStorageDirectories,
  isForbiddenStorage,
  keyDirectory,
  sharedFileStorageDirectory,
} from "./paths.js";
export {
  isListable,
  listedPaths,
  masterIpScript,
  redistributionList,
  uploadTargets,
  xenFiles,
} from "./uploads.js";
