/** Reason why the server cannot start, in words for its administrator. */
export class StartError extends Error {
  override readonly name = "StartError";
}
