/** Entry point without schemas: for programs with a critical start time that parse answers themselves. */
import { Carrier as CarrierOver } from "./carrier.js";
import { nodeTransport } from "./node-transport.js";
import type { RapiOptions } from "./server.js";

/** Carrier for one server. */
export class Carrier extends CarrierOver {
  /** @throws RapiError `invalid_url` */
  constructor(options: RapiOptions) {
    super(options, nodeTransport);
  }
}

export type { Carried, Method, Parts, Query } from "./carrier.js";
export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { RapiOptions };
