/** NodeFailure: the error of a call that fails with a text for the master; what to do with errors of other kinds. */

/**
 * Thrown by the code of calls for every expected failure; the message becomes that of the answer. Any other
 * error is a fault of the daemon, answered as `Error while executing backend function: …` and logged.
 */
export class NodeFailure extends Error {
  override readonly name = "NodeFailure";
}

/** Failure of a write that names the path, which some system errors omit. Errors of other kinds are rethrown. */
export function writeFailure(path: string, error: unknown): NodeFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return new NodeFailure(`Cannot write ${path}: ${message.split(",")[0]}`);
}

/** Text of the failure with which the action ends; null if it succeeds. Errors of other kinds are rethrown. */
export const faultOf = (action: () => Promise<unknown>): Promise<string | null> =>
  action().then(
    () => null,
    (error: unknown) => {
      if (error instanceof NodeFailure) return error.message;
      throw error;
    },
  );

/** For `catch`: the value in place of a failure. Errors of other kinds are rethrown. */
export const ifFailed =
  <T>(value: T | ((fault: string) => T)) =>
  (error: unknown): T => {
    if (!(error instanceof NodeFailure)) throw error;
    return value instanceof Function ? value(error.message) : value;
  };

/** For `catch`: the value in place of a file or folder that does not exist. Errors of other kinds are rethrown. */
export const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return value;
    throw error;
  };
