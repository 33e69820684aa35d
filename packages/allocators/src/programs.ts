/** Allocator programs of this machine. */
export { allocatorPrograms, removeLeftMessages } from "./allocator-programs.js";
