/** The door without schemas: requests for programs whose start is felt, and who look into the answers themselves. */

export { type Carried, Carrier, type Method, type Parts, type Query } from "./carrier.js";
export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { RapiOptions } from "./server.js";
