/** Every resource of the API. */
import { clusterResources } from "./cluster.js";
import { filterResources } from "./filters.js";
import { groupResources } from "./groups.js";
import { instanceResources } from "./instances.js";
import { jobResources } from "./jobs.js";
import { networkResources } from "./networks.js";
import { nodeResources } from "./nodes.js";
import { queryResources } from "./queries.js";
import type { Resource } from "./resource.js";

/** Ganeti's resources, including those that only its design documents describe. */
export const resources: readonly Resource[] = [
  ...clusterResources,
  ...nodeResources,
  ...groupResources,
  ...networkResources,
  ...instanceResources,
  ...jobResources,
  ...queryResources,
  ...filterResources,
];
