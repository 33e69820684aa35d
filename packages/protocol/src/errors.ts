/** Errors of this package: refusals of malformed input. */

/**
 * Kind of fault in a message.
 *
 * | code | meaning |
 * | --- | --- |
 * | `malformed_json` | the bytes are not JSON, or not an object at the top |
 * | `wrong_message` | JSON, but a key is missing, has the wrong type or an unknown value |
 * | `unknown_name` | a named instance, node or group does not occur exactly once in the message |
 */
type MessageErrorCode = "malformed_json" | "wrong_message" | "unknown_name";

/**
 * A malformed allocator message. `code` is stable; `message` is Ganeti's own text, which its `hail` prints
 * after `Error: `.
 */
export class MessageError extends Error {
  override readonly name = "MessageError";
  readonly code: MessageErrorCode;

  constructor(code: MessageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
