/** NodeFailure: a call that fails with a text for the master. */

/**
 * Thrown by the code of calls for every expected failure; the message becomes that of the answer. Any other
 * error is a fault of the daemon, answered as `Error while executing backend function: …` and logged.
 */
export class NodeFailure extends Error {
  override readonly name = "NodeFailure";
}
