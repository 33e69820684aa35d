/** A cluster described in text, by a simulation or by an option value that cannot be understood. */
export class DataError extends Error {
  override readonly name = "DataError";
}
