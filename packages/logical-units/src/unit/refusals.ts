/** Refusals of operations, and those of the configuration in Ganeti's error classes for each context. */
import { ConfigError } from "@ganeti-ts/config";
import { ExecError, OperationError, PrereqError } from "@ganeti-ts/job-queue";

/** Refuses a request that is wrong in any state of the cluster. */
export function wrongInput(text: string): never {
  throw new PrereqError("wrong_input", text);
}

/** Refuses a request that the present state does not allow. */
export function wrongState(text: string): never {
  throw new PrereqError("wrong_state", text);
}

/** The value, or `["TagError", [text]]`. */
export const orTagError = <T>(make: () => T): T =>
  or(make, (text) => new OperationError("TagError", [text]));

/** The value, or `["OpExecError", [attempted: text]]`. */
export const orExecError = <T>(make: () => T, attempted?: string): T =>
  or(make, (text) => new ExecError(attempted === undefined ? text : `${attempted}: ${text}`));

/** A value that the configuration cannot hold: `["ConfigurationError", [text]]`. */
export const configurationError = (text: string) =>
  new OperationError("ConfigurationError", [text]);

function or<T>(make: () => T, refusal: (text: string) => OperationError): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConfigError) throw refusal(error.message);
    throw error;
  }
}
