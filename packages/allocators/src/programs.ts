/** Allocator programs of this machine. */
export {
  type AllocatorProgramsOptions,
  allocatorPrograms,
  removeLeftMessages,
} from "./allocator-programs.js";
