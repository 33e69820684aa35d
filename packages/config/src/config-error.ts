/** Errors of the configuration, with Ganeti's error codes. */

/**
 * | code | meaning |
 * |---|---|
 * | `wrong_input` | a value that is invalid in any cluster |
 * | `wrong_state` | not in the required state |
 * | `unknown_entity` | no object has this name |
 * | `already_exists` | a name that is taken |
 * | `resource_not_unique` | an address or the like that is taken |
 * | `insufficient_resources` | not enough memory, disk, ports, addresses |
 * | `conflict` | the object was changed by somebody else meanwhile |
 * | `lease_lost` | the worker that asked may not act any more |
 */
type ConfigErrorCode =
  | "wrong_input"
  | "wrong_state"
  | "unknown_entity"
  | "already_exists"
  | "resource_not_unique"
  | "insufficient_resources"
  | "conflict"
  | "lease_lost";

/** A refused change; nothing has changed. `message` is Ganeti's text. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Refuses a value that is invalid in any cluster. @throws ConfigError */
export function wrongInput(text: string): never {
  throw new ConfigError("wrong_input", text);
}
