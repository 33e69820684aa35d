/** Entry point for browsers: the same client, over `fetch`. */
import { Caller } from "./caller.js";
import { Carrier } from "./carrier.js";
import { fetchTransport } from "./fetch-transport.js";
import { type Rapi, rapiOver } from "./rapi.js";
import type { RapiOptions } from "./server.js";

/** Options that apply in browsers, which control certificates, sockets and connections themselves. */
export type BrowserOptions = Omit<
  RapiOptions,
  "socketPath" | "verifyCertificate" | "ca" | "connectTimeoutMs"
>;

/** Makes no connection yet. @throws RapiError `invalid_url` */
export const openRapi = (options: BrowserOptions): Rapi =>
  rapiOver(new Caller(new Carrier(options, fetchTransport)));

export { RapiError, type RapiErrorCode } from "./rapi-error.js";
export type { Rapi };
