// Builds the bench and its worker processes, and runs it with the options given.
import { execFileSync } from "node:child_process";
import { build } from "esbuild";

const files = ["queues.bench", "our-worker", "graphile-worker", "pg-boss"];
await build({
  entryPoints: files.map((file) => `bench/${file}.ts`),
  bundle: true,
  // The packages as others get them: one of them starts a thread from a file of its own.
  external: ["@ganeti-ts/*", "libsql", "pg"],
  platform: "node",
  format: "esm",
  outdir: "bench/dist",
  outExtension: { ".js": ".mjs" },
  logLevel: "error",
});
const bench = ["--expose-gc", "bench/dist/queues.bench.mjs", ...process.argv.slice(2)];
execFileSync(process.execPath, bench, { stdio: "inherit" });
