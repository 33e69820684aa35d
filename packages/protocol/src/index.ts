/** Messages, objects and documents exchanged between Ganeti and its clients. */

// Decoding a message to an allocator, and encoding the answer.

export { MessageError } from "./errors.js";
export { decodeMessage } from "./iallocator/decode-message.js";
export { encodeAnswer } from "./iallocator/encode-answer.js";
export type {
  AllocatorAnswer,
  AllocatorMessage,
  AllocatorRequest,
  EvacuationMode,
  Wanted,
} from "./iallocator/request.js";

// The cluster in a message, as used by the placement core.

export {
  type AllocationPolicy,
  allocationPolicies,
  type ClusterData,
  type DiskData,
  type DiskTemplate,
  diskTemplates,
  type GroupData,
  type InstanceColumns,
  type InstanceData,
  type InstancePolicy,
  type InstanceSpec,
  type InstanceStatus,
  instanceColumns,
  instanceStatuses,
  type NodeData,
} from "./cluster-data.js";
export {
  adoptionOf,
  type DiskTraits,
  type DiskType,
  diskCan,
  diskTraits,
  diskUsageMib,
  drbdMetadataMib,
  instanceDisksMax,
  instanceNicsMax,
  isFileBased,
  isMirrored,
  isShared,
  isUnmirrored,
  usesLvm,
  usesNodeSpace,
} from "./disk-template.js";
export { type Hypervisor, hypervisors } from "./iallocator/hypervisor.js";

// The same message and its answers as zod schemas of the wire, from the whole to its parts.

export { WireMessage } from "./iallocator/wire-message.js";

// (requests)

export {
  AllocateRequest,
  AllocateSecondaryRequest,
  BalanceRequest,
  CapacityRequest,
  ChangeGroupRequest,
  MultiAllocateRequest,
  NodeEvacuateRequest,
  RelocateRequest,
  WireRequest,
} from "./iallocator/wire-request.js";

// (answers)

export {
  EvacuationOpcode,
  FailoverOpcode,
  MigrateOpcode,
  ReplaceDisksOpcode,
} from "./iallocator/evacuation-opcode.js";
export {
  AllocateAnswer,
  AllocateSecondaryAnswer,
  BalanceAnswer,
  CapacityAnswer,
  EvacuationAnswer,
  FailureAnswer,
  MultiAllocateAnswer,
  RelocateAnswer,
  wireAnswers,
} from "./iallocator/wire-answer.js";

// (contents of a cluster)

export { WireGroup } from "./iallocator/wire-group.js";
export { WireDisk, WireInstance, WireNic, WireWanted } from "./iallocator/wire-instance.js";
export { WireNode, WireNodeParameters } from "./iallocator/wire-node.js";
export { WireDiskTemplate, WirePolicy, WireSpec } from "./iallocator/wire-policy.js";

// (names and quantities)

export { GroupUuid, InstanceName, NetworkUuid, NodeName, Tag } from "./ids.js";
export { Count, Measure, Ratio, SizeMib } from "./units.js";

// Explanations of answers, and changes that would alter the answer.

export { AllocationChange, Suggestion } from "./explanation/change.js";
export {
  Candidate,
  CandidateField,
  Choice,
  Explanation,
  GroupExplanation,
  InstanceExplanation,
  LostAllocations,
  MoveExplanation,
  NodeLeftOut,
  RefusedCandidate,
  RoleVerdict,
  Score,
  scoreTerms,
} from "./explanation/explanation.js";
export { Attempt, Figure, Refusal, refusalRules } from "./explanation/refusal.js";

// Documents printed by the programs of htools with `--json`.

export { HarepReport } from "./programs/harep.js";
export { HbalReport, HbalStep } from "./programs/hbal.js";
export { HcheckHealth, HcheckReport } from "./programs/hcheck.js";
export { HinfoReport } from "./programs/hinfo.js";
export { HrollerGroup, HrollerMove, HrollerReport } from "./programs/hroller.js";
export { HscanReport } from "./programs/hscan.js";
export { HspaceReport, HspaceRun, HspaceSpec, HspaceStatistics } from "./programs/hspace.js";
export { HsqueezeMove, HsqueezeReport } from "./programs/hsqueeze.js";
export { InstanceReport, NodeReport } from "./programs/node-report.js";

// Strings as Ganeti quotes them in its texts.

export { quoted, quotedList } from "./json/quoted.js";

// Jobs, their opcodes and documents; JSON in which nanoseconds stay exact.

export { asciiJson, writeAsciiJson } from "./jobs/ascii-json.js";
export {
  dependenciesOf,
  type Job,
  jobDocument,
  jobOf,
  LogEntry,
  LogType,
  type QueuedOpcode,
  queuedOpcodeOf,
  readJob,
  reasonsOf,
  WireJob,
  WireQueuedOpcode,
  writeJob,
} from "./jobs/job.js";
export { JobId, readJobId } from "./jobs/job-id.js";
export {
  isJson,
  isJsonObject,
  type Json,
  type JsonObject,
  sameJson,
  withoutNulls,
} from "./jobs/json-value.js";
export { JsonError, parseJson, writeJson } from "./jobs/lossless-json.js";
export { Dependency, Opcode, readOpcode } from "./jobs/opcode.js";
export { opcodeSummary } from "./jobs/opcode-summary.js";
export { invalidPriority, Priority, SubmitPriority } from "./jobs/priority.js";
export { nanosecondsOf, ReasonEntry, ReasonTrail } from "./jobs/reason.js";
export { FinalStatus, isFinalized, JobStatus, jobStatuses, statusConstant } from "./jobs/status.js";
export { microsOf, Timestamp, timestampOf } from "./jobs/timestamp.js";

// Rules that accept, hold, reject or throttle jobs.

export {
  FilterExpression,
  type FilterValue,
  filterDepthMax,
  filterExpressionFault,
  fractionText,
} from "./jobs/filter-expression.js";
export { FilterAction, FilterPredicate, FilterRule } from "./jobs/filter-rule.js";
export { FilterRuleBody } from "./jobs/filter-rule-body.js";
export { FilterUuid } from "./jobs/filter-uuid.js";

// JSON values as Ganeti's error texts show them.

export { compactJson, spacedJson } from "./json/value-text.js";

// Configuration objects, with the keys and values of `config.data`.

export {
  Claim,
  ClaimedDisk,
  ClaimedSpace,
  type ClaimKind,
  type ClaimOf,
} from "./config/claim-object.js";
export {
  allocatorRequests,
  ClusterObject,
  UidPool,
} from "./config/cluster-object.js";
export { Parameters, ParameterValue } from "./config/common.js";
export {
  type ChildDisk,
  DiskObject,
  diskTypes,
  ForthcomingDisk,
  RealDisk,
} from "./config/disk-object.js";
export { GroupObject } from "./config/group-object.js";
export { ClaimUuid, DiskUuid, InstanceUuid, isUuid, NodeUuid } from "./config/ids.js";
export {
  type AdminState,
  adminStates,
  ForthcomingInstance,
  InstanceObject,
  RealInstance,
} from "./config/instance-object.js";
export { NetworkObject } from "./config/network-object.js";
export { ForthcomingNic, NicObject } from "./config/nic-object.js";
export { NodeObject } from "./config/node-object.js";
export {
  Beparams,
  Diskparams,
  Ndparams,
  Nicparams,
  nicModes,
  PartialBeparams,
  PartialNdparams,
  PartialNicparams,
} from "./config/parameters.js";
export { ClusterPolicy, GroupPolicy, PolicySpec, policyParameters } from "./config/policy.js";

// A cluster in the RAPI's representation, whole or by object.

export {
  decodeRapiCluster,
  type RapiClusterBodies,
  rapiClusterResources,
} from "./rapi/decode-cluster.js";
export { RapiGroup } from "./rapi/wire-group.js";
export { RapiInfo } from "./rapi/wire-info.js";
export { RapiInstance } from "./rapi/wire-instance.js";
export { RapiFault, RapiJob } from "./rapi/wire-job.js";
export { RapiNetwork } from "./rapi/wire-network.js";
export { NodeRole, RapiNode } from "./rapi/wire-node.js";

// Values in Python's notation.

export { pythonLiteral, pythonText } from "./text/python-text.js";

// Sizes as Ganeti shows them.

export { bytesPerMib, roundHalfEven, sizeText } from "./text/sizes.js";

// Sort orders of names.

export { compareCodePoints } from "./order/code-points.js";
export { compareNaturally, inNaturalOrder, naturalKey } from "./order/natural-order.js";

// Opcodes: all operations with their parameters.

export {
  type AnyOpcode,
  isOpcodeId,
  type OpcodeId,
  type OpcodeInput,
  type OpcodeOf,
  opcodeCatalog,
} from "./opcodes/catalog.js";
export { QueryResource, TagKind } from "./opcodes/choices.js";
export { decodeOpcode } from "./opcodes/decode.js";
export { DiskChanges, OpcodeDisk } from "./opcodes/disk.js";
export { NicChanges, OpcodeNic } from "./opcodes/nic.js";
export { parseSize } from "./opcodes/values.js";

// Ports shared by all packages: time, randomness, cancellation.

export { type CancelSignal, noSignal, pause } from "./ports/cancel-signal.js";
export { type Clock, systemClock, type TimeOfDay, type Timers } from "./ports/clock.js";
export {
  brokenInvariants,
  InvariantError,
  invariant,
  onBrokenInvariant,
  reportUnless,
} from "./ports/invariant.js";
export { type Random, randomHex, secureRandom, systemRandom } from "./ports/random.js";

// Parts of the cluster decoders that `@ganeti-ts/luxi` shares: a JSON document that is read value by value,
// with the error texts of Ganeti's htools, and the relations between nodes, groups and instances.

export { policyRecord } from "./iallocator/decode-group.js";
export { JsonDocument } from "./json/json-document.js";
export { plainValue } from "./json/plain-value.js";
export { RecordReader, wrong as wrongMessage } from "./json/record-reader.js";
export { renderJson } from "./json/render.js";
export { reading as introducingJsonErrors } from "./json/syntax-error.js";
export { decodeClusterInfo } from "./rapi/decode-cluster.js";
export {
  disksOf,
  groupOfNode,
  masterMarked,
  nodeOfInstance,
  positions,
} from "./rapi/decode-names.js";
