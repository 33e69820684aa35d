/** What keeps the server from starting, in words for whoever starts it. */
export class StartError extends Error {
  override readonly name = "StartError";
}
