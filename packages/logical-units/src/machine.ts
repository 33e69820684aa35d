/** Ports made of this machine's files and processes. */
export { type AllocatorProgramsOptions, allocatorPrograms } from "./machine/allocator-programs.js";
export { nodeStatesInFiles } from "./machine/node-states-in-files.js";
