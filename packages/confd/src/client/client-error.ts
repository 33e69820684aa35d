/** A request that a client refuses to send; `code` is stable, `message` is for people. */
export class ConfdClientError extends Error {
  override readonly name = "ConfdClientError";
  readonly code: ConfdClientErrorCode;

  constructor(code: ConfdClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Reason why a client refuses a request without sending it. */
type ConfdClientErrorCode =
  | "no peers"
  | "wrong peers"
  | "wrong coverage"
  | "wrong rsalt"
  | "too big"
  | "too many pending";
