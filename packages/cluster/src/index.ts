/** A whole cluster as one object. */

// Opening a cluster.

export type { ClusterLog } from "./log.js";
export { type MemoryStoresOptions, memoryStores, memoryStoresOf } from "./memory-stores.js";
export { type Cluster, openCluster } from "./open-cluster.js";
export { openShadow, type ShadowPorts } from "./open-shadow.js";
export type { ClusterPorts, ClusterStores, MadeOf, NodePorts } from "./ports.js";

// Creating a cluster.

export { createCluster } from "./creation/create-cluster.js";
export { type CreationPorts, type NewCluster, NewClusterError } from "./creation/new-cluster.js";
export { NewClusterSettings, type NewNode } from "./creation/new-cluster-settings.js";

// Copies that Ganeti's daemons can go on with.

export type { Missed } from "./distribution/distribution.js";
export {
  type DistributionOptions,
  ForeignChangeError,
  type GanetiFiles,
  type WrittenFile,
} from "./distribution/distribution-ports.js";
export { restFileName, restVersion } from "./distribution/node-lane.js";

// Parts of a cluster.

export { type Event, Events, type Follower } from "./events/events.js";
export type { Gauge } from "./gauges.js";
export type { ClusterObjects, NodeReply, ObjectKind } from "./objects/cluster-objects.js";
export type { BalancePlan, BalancePlanStep, BalanceWish } from "./planning/balance-plan.js";
export type { EvacuationPlan, EvacuationWish, PlannedMove } from "./planning/evacuation-plan.js";
export type { NodeLoad } from "./planning/node-load.js";
export type { Planned, Planner } from "./planning/planner.js";
export { type ClusterQueue, clusterQueue, type EndedJob } from "./queue/cluster-queue.js";
export { submitFaultless } from "./queue/submit-faultless.js";
export {
  memoryWatcherNotes,
  type WatcherNotesStore,
  type WatcherOptions,
} from "./watcher/watcher-ports.js";
