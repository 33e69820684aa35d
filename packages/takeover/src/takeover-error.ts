/** Reason why a cluster cannot be taken over, served or handed back on this machine, in words for its administrator. */
export class TakeoverError extends Error {
  override readonly name: string = "TakeoverError";
}

/** Another node or program is the master of the cluster. */
export class NotMasterError extends TakeoverError {
  override readonly name = "NotMasterError";
}
