/** MessageServer: what a listening server offers, without the modules that it needs. */

/** Socket of a server. The mode of the socket is the whole access control. */
export interface ListenOptions {
  readonly path: string;
  /** Default 0600: the owner only. */
  readonly mode?: number;
  /** Group id of the socket; default: the process's. */
  readonly group?: number;
}

/** A server of messages. */
export interface MessageServer {
  /**
   * Listens on a path, at most once. A socket file that a dead server left behind is replaced.
   * @throws Error with a `code`, such as `EADDRINUSE`, `ENAMETOOLONG` or `EACCES`
   */
  readonly listen: (options: ListenOptions) => Promise<void>;
  /** Connections that are served or wait for it. */
  readonly connectionCount: () => number;
  /**
   * Stops listening, lets calls in progress end and answers them, then closes. Connections that are
   * left after `graceMs` (default 10 s) are closed as they are.
   */
  readonly close: (options?: { readonly graceMs?: number }) => Promise<void>;
}
