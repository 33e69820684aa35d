/** A typed client of Ganeti's remote API. */

export { openRapi, type Rapi } from "./rapi.js";
export type { RapiOptions } from "./server.js";

// What can be asked for and done, by kind of thing.

export type { Groups } from "./groups.js";
export type { DiskReplacement, Failover, Instances, Migration } from "./instances.js";
export type { Jobs, Waiting } from "./jobs.js";
export type { NodeChange, Nodes, RoleChange } from "./nodes.js";
export type { TagChange, Tags } from "./tags.js";

// What all calls have in common.

export type { CallOptions, Query } from "./caller.js";
export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { Reading } from "./reading.js";
export type { Submission } from "./submission.js";
