/** What may travel between Ganeti and its clients. */

export {
  type AllocationPolicy,
  allocationPolicies,
  type ClusterData,
  type DiskData,
  type DiskTemplate,
  diskTemplates,
  type GroupData,
  type InstanceData,
  type InstancePolicy,
  type InstanceSpec,
  type InstanceStatus,
  instanceStatuses,
  type NodeData,
} from "./cluster-data.js";
export { MessageError, type MessageErrorCode } from "./errors.js";
export { decodeMessage } from "./iallocator/decode-message.js";
export { encodeAnswer } from "./iallocator/encode-answer.js";
export {
  type AllocatorAnswer,
  type AllocatorMessage,
  type AllocatorRequest,
  type EvacuationMode,
  evacuationModes,
  type Wanted,
} from "./iallocator/request.js";
export { quoted, quotedList } from "./json/quoted.js";
