/** Refusals of this package: what came from outside cannot be read. */

/**
 * What kind of fault a message has.
 *
 * | code | meaning |
 * |---|---|
 * | `malformed_json` | the bytes are not JSON, or no object at the top |
 * | `wrong_message` | JSON, but a key is missing, of the wrong type or of an unknown choice |
 * | `unknown_name` | an instance, node or group is named that the message does not hold once |
 */
export type MessageErrorCode = "malformed_json" | "wrong_message" | "unknown_name";

/**
 * An allocator message that cannot be understood. `code` is stable; `message` is Ganeti's own text,
 * what its `hail` prints after `Error: `.
 */
export class MessageError extends Error {
  override readonly name = "MessageError";
  readonly code: MessageErrorCode;

  constructor(code: MessageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
