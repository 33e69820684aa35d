/** Parts that benchmarks run in their own process, bundled with the program as dist/bench-parts.js, which is not published. */
export { parseUsers } from "../src/auth/users.js";
export { createLog } from "../src/log.js";
export { readOptions } from "../src/program/options.js";
export { type Served, serve } from "../src/program/serve.js";
