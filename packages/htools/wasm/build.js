// node wasm/build.js: compiles this folder. Needed after a change here.
import { compileWasm } from "../../../tooling/wasm.js";

compileWasm({
  folder: new URL(".", import.meta.url),
  entry: "kernel.ts",
  outcome: "../src/model/kernel-code.ts",
  name: "kernel",
  // A third smaller; its loops are short beside all that begins with a program.
  optimize: "-Os",
});
