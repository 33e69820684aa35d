/** Errors of this package. */

/**
 * | code | meaning |
 * |---|---|
 * | `wrong_input` | no such lock, or a request that contradicts itself |
 * | `wrong_state` | not with what the owner holds or waits for: order, double acquire, not held |
 * | `deleted` | the lock is gone |
 */
type LockErrorCode = "wrong_input" | "wrong_state" | "deleted";

/** A refused lock request; nothing has changed. */
export class LockError extends Error {
  override readonly name = "LockError";
  readonly code: LockErrorCode;

  constructor(code: LockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
