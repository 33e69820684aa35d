/** Reason why the server cannot start, in words for its administrator. */
export class StartError extends Error {
  override readonly name: string = "StartError";
}

/** Another node or program is the master of the cluster; as Ganeti's daemons, the program ends with code 11. */
export class NotMasterError extends StartError {
  override readonly name = "NotMasterError";
}
