/** Connection settings of a server, from the caller's options. */
import type { Server } from "./exchange.js";
import { RapiError } from "./rapi-error.js";

export interface RapiOptions {
  /** `https://cluster.example.com:5080`. A user and password in it are used unless others are given. */
  readonly url: string;
  /** Unix socket of a server on this machine; host and port of `url` are then ignored. */
  readonly socketPath?: string;
  readonly user?: string;
  readonly password?: string;
  /** false accepts every certificate: Ganeti creates its own, unknown to the system. Default true. */
  readonly verifyCertificate?: boolean;
  /** Certificates (PEM) to trust, such as the cluster's own `rapi.pem`. */
  readonly ca?: string;
  /** Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** Timeout of a whole exchange. Default 60 s. */
  readonly timeoutMs?: number;
  /** Number of repetitions after a failure, if a repetition is safe. Default 2. */
  readonly retriesMax?: number;
  /** Delay of the first repetition; doubles with each. Default 500 ms. */
  readonly retryDelayMs?: number;
  /**
   * Called with a remark that the server sends about itself: that it is a twin or a shadow of another cluster. Called
   * for every answer.
   */
  readonly onNote?: (note: string) => void;
  /** Aborts all calls. */
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

/** Encodes the text as UTF-8 first. */
const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
