// node wasm/build.js: compiles this folder. Needed after a change here.
import { compileWasm } from "../../../tooling/wasm.js";

compileWasm({
  folder: new URL(".", import.meta.url),
  entry: "kernel.ts",
  outcome: "../src/model/kernel-code.ts",
  name: "kernel",
  // Twice as fast as code optimised for size, which calls a function for each access to memory.
  optimize: "-O3",
});
