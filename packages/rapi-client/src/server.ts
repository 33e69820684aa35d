/** Which server is called, and how, out of what a caller says. */
import type { Server } from "./exchange.js";
import { RapiError } from "./rapi-error.js";

export interface RapiOptions {
  /** `https://cluster.example.com:5080`. A user and password in it are used, if no others are given. */
  readonly url: string;
  /** The server listens on this Unix socket of this machine; host and port of `url` then mean nothing. */
  readonly socketPath?: string;
  readonly user?: string;
  readonly password?: string;
  /** false trusts every certificate: Ganeti makes its own, which no system knows. Default true. */
  readonly verifyCertificate?: boolean;
  /** Certificates (PEM) to trust, such as the cluster's own `rapi.pem`. */
  readonly ca?: string;
  /** Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** For a whole exchange. Default 60 s. */
  readonly timeoutMs?: number;
  /** How often a call that can be repeated without harm is repeated after a failure. Default 2. */
  readonly retriesMax?: number;
  /** Before the first repetition; doubles with each. Default 500 ms. */
  readonly retryDelayMs?: number;
  /** Stops all calls. */
  readonly signal?: AbortSignal;
}

/** @throws RapiError `invalid_url` */
export function serverOf(options: RapiOptions): Server {
  if (!URL.canParse(options.url)) {
    throw new RapiError("invalid_url", "no URL", { method: "GET", url: options.url });
  }
  const url = new URL(options.url);
  const user = options.user ?? decodeURIComponent(url.username);
  const password = options.password ?? decodeURIComponent(url.password);
  const given = options.user !== undefined || url.username !== "" || url.password !== "";
  return {
    base: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`,
    socketPath: options.socketPath,
    authorization: given ? `Basic ${base64(`${user}:${password}`)}` : undefined,
    verifyCertificate: options.verifyCertificate ?? true,
    ca: options.ca,
    connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
    timeoutMs: options.timeoutMs ?? 60_000,
  };
}

/** Of the text as UTF-8. */
const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
