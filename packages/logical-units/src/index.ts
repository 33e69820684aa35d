/** What each opcode of a Ganeti cluster needs, checks and does. */

// Every opcode, as what a job queue runs.

export { ExecError, type PrereqCode, PrereqError } from "./errors.js";
export { createExecutor } from "./executor.js";
export { type RecoveryPorts, recoverHeld } from "./recovery.js";
export type { Resolver } from "./resolver.js";
export type { ChildJobs, Unit, World, WorldPorts } from "./unit.js";

// Asking where instances go.

export {
  type AllocatorPorts,
  Allocators,
  type Asking,
  type PlaceOptions,
} from "./allocator/allocators.js";
export type { DiskEntry, NicEntry } from "./allocator/entries.js";
export { defaultAllocators } from "./allocator/names.js";
export {
  type RequestEntry,
  type RequestType,
  type WantedEntry,
  type WantedInstance,
  wantedEntry,
} from "./allocator/requests.js";
export type {
  Allocation,
  Balance,
  Capacity,
  Evacuation,
  MultiAllocation,
} from "./allocator/results.js";
export { type AllocatorRun, type AllocatorRunner, noPrograms } from "./allocator/runner.js";

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
export { RefusingNodes, type RefusingNodesPorts } from "./nodes/refusing-nodes.js";
export type { HookResult, MasterAddress, SetupCalls } from "./nodes/setup-calls.js";
export {
  type StorageCalls,
  type StorageUnitField,
  storageUnitFields,
} from "./nodes/storage-calls.js";

// What can be asked about everything there is, and the objects that the remote API shows.

export { type ClusterInfo, clusterInfo } from "./fields/cluster-info.js";
export type { FieldContext, LiveNeed } from "./fields/field.js";
export { collectLive, type LiveData, type LiveRequest, type Sighting } from "./fields/live-data.js";
export { nodeRole } from "./fields/node-fields.js";
export {
  needsOf,
  type QueryDeps,
  type QueueReader,
  queryResource,
} from "./fields/query-resource.js";
export { type RapiItems, type RapiKind, rapiFields, rapiObject } from "./fields/rapi-objects.js";
export { RapiTexts } from "./fields/rapi-texts.js";
export { fieldsOf, type QueryItems, type QueryKind, queryKinds } from "./fields/resources.js";

// What every node knows of the cluster.

export { ssconfValues } from "./cluster/ssconf.js";
