/** Limits of a server on a local socket. */

/** Limits of a server for the size of requests and the number of connections. */
export interface ServerLimits {
  /** Longest request, in bytes. */
  readonly requestBytesMax: number;
  /** Connections served at the same time. */
  readonly connectionsMax: number;
  /** Connections that wait, unread, for one of those to end; further ones are closed unread. */
  readonly waitingMax: number;
  /** Complete requests of one connection that are kept while an earlier one is carried out. */
  readonly pipelinedMax: number;
  /** Time without a byte from a client that has no request in progress (ms). */
  readonly idleMs: number;
  /** Time from the first byte of a request to its last (ms). */
  readonly requestMs: number;
  /** Time for a client to take one answer (ms). */
  readonly sendMs: number;
  /** Time for which the rest of a refused request is read and thrown away, so that its sender sees the answer (ms). */
  readonly lingerMs: number;
}

/** The times are those of Ganeti's server; it has no limits of size and number. */
export const serverLimits: ServerLimits = {
  // A submission of 20 000 instances is 30 MB.
  requestBytesMax: 64 << 20,
  connectionsMax: 256,
  waitingMax: 256,
  pipelinedMax: 16,
  idleMs: 180_000,
  requestMs: 180_000,
  sendMs: 180_000,
  lingerMs: 10_000,
};
