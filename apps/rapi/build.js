// Builds dist/*.js, the bundles of the server, of `pnpm start` and of the benchmarks, from the sources of this package and its
// neighbours, and the manual page.
//
// Packages with native code stay outside of the bundle, as dependencies.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { english } from "../../tooling/english.js";
import { addStarter } from "../../tooling/starter.js";

const threads = ["postgres/lease-thread", "sqlite/writing-thread"];

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: [
    ...["ganeti-rapi", "demo", "manual-page"].map((name) => `src/${name}.ts`),
    "bench/bench-parts.ts",
    // Threads are started from files beside the bundle.
    ...threads.map((name) => `../../packages/store/src/${name}.js`),
  ],
  entryNames: "[name]",
  // Beside the programs: the code finds files by its own place.
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  outdir: "dist",
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "error",
  // Where a package has both, modules: their names can be imported one by one.
  mainFields: ["module", "main"],
  external: ["libsql", "pg-native"],
  plugins: [english],
  sourcemap: true,
  sourcesContent: false,
  banner: {
    js: 'import { createRequire as bundledRequire } from "node:module"; const require = bundledRequire(import.meta.url);',
  },
});
addStarter("dist/ganeti-rapi.js");
mkdirSync("dist/man");
writeFileSync("dist/man/ganeti-rapi.8", execFileSync(process.execPath, ["dist/manual-page.js"]));
