/** Query fields of every resource of a cluster, and the queries over them. */

export { affectedInstances } from "./affected-instances.js";
export { affectedNodes } from "./affected-nodes.js";
export { InstanceIndexes } from "./instance-indexes.js";
export { jobStatuses } from "./job-statuses.js";
export { type NamedKind, NameOrder, type NameOrders, nameOrders } from "./name-order.js";
export { type PageOptions, type QueryPage, queryPage } from "./query-page.js";
export { type QueryDeps, type QueueReader, queryResource } from "./query-resource.js";
export { fieldsOf, type QueryKind, type Resource, resources } from "./resources.js";

// Live data.

export { collectLive, type LiveData, type LiveNeed, type LiveRequest } from "./live-data.js";
export {
  type AskingOptions,
  collectInOrder,
  collectNodesInOrder,
  type LiveInOrder,
} from "./live-in-order.js";
export { UsedHypervisors } from "./used-hypervisors.js";

// Fields and their context.

export { type ClusterInfo, clusterInfo } from "./cluster-info.js";
export type { Field, FieldContext } from "./field.js";
export { groupFields } from "./group-fields.js";
export { instanceFields, instanceLabel } from "./instance-fields.js";
export { type InstanceStatusText, instanceStatus, showsAlike } from "./instance-live-fields.js";
export { networkFields } from "./network-fields.js";
export { nodeFields, nodeRole } from "./node-fields.js";
