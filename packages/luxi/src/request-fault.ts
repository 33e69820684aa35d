/** Refusals of requests that cannot be parsed. */

/**
 * A request that cannot be parsed. The answer is a plain string, `Failed to parse request: ` and
 * `reason`, and the server closes the connection after it, as Ganeti's does. A port throws it for
 * faults that only it can judge, such as a regular expression that does not compile.
 */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`Failed to parse request: ${reason}`, options);
    this.reason = reason;
  }
}
