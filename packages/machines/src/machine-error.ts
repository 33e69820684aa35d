/** Why a machine cannot be prepared, reached or released; the message is for its administrator. */
export class MachineError extends Error {
  override readonly name = "MachineError";
}
