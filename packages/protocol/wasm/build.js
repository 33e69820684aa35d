// node wasm/build.js: compiles this folder. Needed after a change here.
import { compileWasm } from "../../../tooling/wasm.js";

compileWasm({
  folder: new URL(".", import.meta.url),
  entry: "record-scan.ts",
  outcome: "../src/json/record-scan-code.ts",
  name: "recordScan",
  optimize: "-O3",
});
