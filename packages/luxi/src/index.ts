/** Ganeti's local protocol (LUXI). */
export { luxiEnd } from "./frames.js";
