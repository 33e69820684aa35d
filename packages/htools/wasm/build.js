// node wasm/build.js: compiles this folder. Needed after a change here.
import { compileWasm } from "../../../tooling/wasm.js";

compileWasm({
  folder: new URL(".", import.meta.url),
  entry: "kernel.ts",
  outcome: "../src/model/kernel-code.ts",
  name: "kernel",
  // A third smaller than code optimised for speed; the loops take little of a program's start time.
  optimize: "-Os",
});
