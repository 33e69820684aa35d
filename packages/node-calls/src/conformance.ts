/** Disks and instances as nodes get them, for tests of a node back end. */
export { aDrbdDisk, anInstance, aPlainDisk } from "./conformance/objects.js";
