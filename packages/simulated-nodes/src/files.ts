/** Simulated nodes whose state is kept in files of this machine. */
export { nodeStatesInFiles } from "./files/node-states-in-files.js";
