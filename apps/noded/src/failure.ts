/** NodeFailure: the error of a call that fails with a text for the master. */

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
