/** Reason why a machine cannot be prepared, reached or released, in words for its administrator. */
export class MachineError extends Error {
  override readonly name = "MachineError";
}
