// Bundles the program into one file that runs alone, wherever it is copied: no import, export or
// bare require in it, so Node takes it as an ES module or as CommonJS, whatever lies around it.
import { chmodSync } from "node:fs";
import { build } from "esbuild";

await build({
  entryPoints: ["src/hail.ts"],
  outfile: "dist/hail.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minifySyntax: true,
  banner: { js: "#!/usr/bin/env node" },
});
chmodSync("dist/hail.js", 0o755);
