/** Storage types by the names used on the command line. */
import { prereqError } from "../../errors.js";

const types = ["file", "lvm-pv", "lvm-vg", "sharedfile", "gluster"];

/** @throws GanetiError for an unknown type */
export function storageType(name: string): string {
  if (types.includes(name)) return name;
  throw prereqError(`Unknown storage type: ${name}`);
}
