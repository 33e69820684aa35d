/** Client over Node's own connections. */
import { Caller } from "./caller.js";
import { Carrier } from "./carrier.js";
import { nodeTransport } from "./node-transport.js";
import { type Rapi, rapiOver } from "./rapi.js";
import type { RapiOptions } from "./server.js";

/** Makes no connection yet. @throws RapiError `invalid_url` */
export const openRapi = (options: RapiOptions): Rapi =>
  rapiOver(new Caller(new Carrier(options, nodeTransport)));
