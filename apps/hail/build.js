// Bundles the program into one file that runs wherever it is copied.
import { chmodSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

await build({
  entryPoints: ["src/hail.ts"],
  outfile: "dist/hail.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  // Half the text to read at every start.
  minify: true,
  // With a `require` of its own the file is CommonJS and an ES module alike, so it does not
  // matter what a package.json near the copy says.
  banner: { js: "#!/usr/bin/env node\nvar require = process.getBuiltinModule;" },
});
chmodSync("dist/hail.js", 0o755);

// Where it stands here it is CommonJS, which Node starts some milliseconds sooner.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
