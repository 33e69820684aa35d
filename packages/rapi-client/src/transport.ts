/** The door without schemas: requests for programs whose start is felt, and who look into the answers themselves. */
import { Carrier as CarrierOver } from "./carrier.js";
import { nodeTransport } from "./node-transport.js";
import type { RapiOptions } from "./server.js";

/** Calls one server. */
export class Carrier extends CarrierOver {
  /** @throws RapiError `invalid_url` */
  constructor(options: RapiOptions) {
    super(options, nodeTransport);
  }
}

export type { Carried, Method, Parts, Query } from "./carrier.js";
export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { RapiOptions };
