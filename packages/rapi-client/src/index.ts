/** A typed client of Ganeti's remote API. */
export { openRapi } from "./open-rapi.js";
export type { Rapi } from "./rapi.js";
export type { RapiOptions } from "./server.js";

// Resources, by kind of object.

export type { ServerEvent } from "./events.js";
export type { NewRule } from "./filters.js";
export type { Groups } from "./groups.js";
export type {
  DiskReplacement,
  Failover,
  InstanceChange,
  InstanceConsole,
  InstanceExport,
  InstanceShutdown,
  Instances,
  Migration,
  NewInstance,
  Restart,
} from "./instances.js";
export type { Jobs, Waiting } from "./jobs.js";
export type { Networks } from "./networks.js";
export type { NodeChange, Nodes, RoleChange, StorageUnit } from "./nodes.js";
export type {
  Audit,
  Audited,
  Balance,
  Balancing,
  Capacity,
  Claimed,
  Following,
  Hindrance,
  Own,
  Paging,
  PlannedInstance,
  QueryPage,
  RuleEffects,
  RulePreview,
} from "./own.js";
export type { ParametersOf } from "./parameters.js";
export type {
  BalancePlan,
  BalanceRequest,
  EvacuationPlan,
  EvacuationRequest,
  NodeLoad,
  Plans,
  SubmittedMoves,
  Submitting,
} from "./plans.js";
export type { Queried, Queries, QueryField, QueryTable } from "./queries.js";
export type { TagChange, Tags } from "./tags.js";

// Options common to all calls.

export type { CallOptions, Query } from "./caller.js";
export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { Reading } from "./reading.js";
export type { Submission } from "./submission.js";
