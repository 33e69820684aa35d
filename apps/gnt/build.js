// Bundles every program of package.json's `bin` into one file that runs wherever it is copied: dist/NAME.js.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const programs = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).bin);

/** What begins a program: its definition, or for `gnt` all of them. */
const entryOf = (name) =>
  name === "gnt"
    ? 'import "./src/gnt.js";'
    : `import { main } from "./src/main.js";
       import { program } from "./src/programs/${name}.js";
       main(program);`;

/** Leaves out schemas that nobody uses, although they stand beside what is used: making one has no effect. */
const pureSchemas = {
  name: "pure-schemas",
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages.protocol.src.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      return { contents: source.replace(/\bz\.(?=\w+\()/g, "/* @__PURE__ */ z."), loader: "ts" };
    });
  },
};

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
// Where they stand here they are CommonJS, which Node starts some milliseconds sooner.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
for (const name of programs) {
  const { outputFiles } = await build({
    stdin: { contents: entryOf(name), resolveDir: ".", sourcefile: `${name}.ts`, loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    supported: { "dynamic-import": false },
    minify: true,
    metafile: true,
    // Which measures the width of characters with a table that takes 20 ms to make; only help needs it, ours does not.
    alias: { "string-width": "./src/parsing/plain-width.ts" },
    define: { "import.meta.url": "__url" },
    plugins: [pureSchemas],
  });
  writeFileSync(
    `dist/${name}.js`,
    `#!/usr/bin/env node
const __url = require("node:url").pathToFileURL(__filename).href;
${outputFiles[0].text}`,
  );
  chmodSync(`dist/${name}.js`, 0o755);
}
