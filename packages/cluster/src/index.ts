/** A whole cluster as one object. */

// Opening a cluster.

export type { ClusterLog } from "./log.js";
export { memoryStores, memoryStoresOf } from "./memory-stores.js";
export { type Cluster, openCluster } from "./open-cluster.js";
export { openShadow } from "./open-shadow.js";
export type { ClusterPorts, ClusterStores, NodePorts } from "./ports.js";

// Creating a cluster.

export { createCluster } from "./creation/create-cluster.js";
export { type NewCluster, NewClusterError } from "./creation/new-cluster.js";
export { NewClusterSettings } from "./creation/new-cluster-settings.js";

// Copies from which Ganeti's daemons can continue.

export {
  ForeignChangeError,
  type GanetiFiles,
  type WrittenFile,
} from "./distribution/distribution-ports.js";
export { restFileName, restVersion } from "./distribution/node-lane.js";

// Parts of a cluster.

export { type Event, Events } from "./events/events.js";
export type { Gauge } from "./gauges.js";
export type { ClusterObjects, NodeReply, ObjectKind } from "./objects/cluster-objects.js";
export type { BalancePlan } from "./planning/balance-plan.js";
export type { EvacuationPlan } from "./planning/evacuation-plan.js";
export type { NodeLoad } from "./planning/node-load.js";
export type { Planned, Planner } from "./planning/planner.js";
export { type ClusterQueue, clusterQueue, type EndedJob } from "./queue/cluster-queue.js";
export { submitFaultless } from "./queue/submit-faultless.js";
export {
  memoryWatcherNotes,
  type WatcherNotesStore,
  type WatcherOptions,
} from "./watcher/watcher-ports.js";
