/** A request that failed: the reason, and what to do about it. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** Status of the answer; 0 if the server could not be reached. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
