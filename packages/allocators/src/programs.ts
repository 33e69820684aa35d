/** Allocator programs of this machine. */
export { type AllocatorProgramsOptions, allocatorPrograms } from "./allocator-programs.js";
