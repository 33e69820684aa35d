/** Types of storage units by the names that people use. */
import { prereqError } from "../../errors.js";

const types = ["file", "lvm-pv", "lvm-vg", "sharedfile", "gluster"];

/** @throws GanetiError for one that there is not */
export function storageType(name: string): string {
  if (types.includes(name)) return name;
  throw prereqError(`Unknown storage type: ${name}`);
}
