/** Malformed description of a cluster in text, in a simulation or in an option value. */
export class DataError extends Error {
  override readonly name = "DataError";
}
