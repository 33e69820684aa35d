/** Ganeti's queue directory, in and out; the stores themselves are behind doors of their own. */
export { exportDirectory, importDirectory } from "./directory.js";
