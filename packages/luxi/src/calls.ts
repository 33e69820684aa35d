/**
 * Calls without schemas: a connection, and the calls that Ganeti's htools make, with their error texts.
 * For programs whose start must not pay for making the schemas of "@ganeti-ts/luxi".
 */

export { connectLuxi, type LuxiConnection, LuxiConnectionError } from "./connection.js";
export { GanetiError } from "./ganeti-error.js";
export {
  decodeLuxiCluster,
  luxiClusterCalls,
  luxiInstanceFields,
} from "./htools/decode-cluster.js";
export {
  type JobOutcome,
  queryJobResults,
  queryJobStatuses,
  readJobResults,
  readJobStatuses,
  readSubmitted,
  submitManyJobs,
} from "./htools/jobs.js";
export { type LuxiCall, type LuxiResult, readLuxiReply, writeLuxiCall } from "./message.js";
