// Bundles page.ts into page.js: one classic script, so that the page also works when it is opened as a file.
import { build } from "esbuild";

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["page.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  outfile: "page.js",
});
