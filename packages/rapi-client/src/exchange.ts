/** Port for one HTTP request and its answer, over Node's own connections or `fetch`. */

export interface Server {
  /** Scheme, host and port, without a slash at the end. */
  readonly base: string;
  /** A Unix socket instead of host and port; `base` is then only used in messages. */
  readonly socketPath: string | undefined;
  readonly authorization: string | undefined;
  readonly verifyCertificate: boolean;
  /** Certificates (PEM) to trust in addition to those of the system. */
  readonly ca: string | undefined;
  /** Timeout of the connection, including TLS. */
  readonly connectTimeoutMs: number;
  /** Timeout of the whole exchange. */
  readonly timeoutMs: number;
}

export interface Question {
  readonly method: string;
  /** Begins with a slash; encoded. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Remark of a server of this project about itself. */
  readonly note?: string | undefined;
}

export interface Transport {
  /** The answer, whatever its status. @throws RapiError if there is none */
  exchange(server: Server, question: Question): Promise<Answer>;
  /**
   * The body of an answer as a stream. Leaving the loop ends the exchange. @throws RapiError, also for
   * statuses from 400 on
   */
  stream(server: Server, question: Question): AsyncIterable<Uint8Array>;
}

/** Header of a server's remark about itself. */
export const noteHeader = "x-ganeti-ts-note";

/** Size limit of an answer. */
export const bytesMax = 1 << 29;
