/** Import and export of Ganeti's queue directory; the stores themselves have entry points of their own. */
export { exportDirectory, importDirectory } from "./directory.js";
