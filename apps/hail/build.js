// Bundles the program into one file that runs wherever it is copied.
//
//   node build.js          dist/hail.js: the program with its compiled form, for Node
//   node build.js native   dist/native/hail.cjs: the program alone, for `build:native`
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const native = process.argv[2] === "native";

const { outputFiles } = await build({
  entryPoints: ["src/hail.ts"],
  outfile: native ? "dist/native/hail.cjs" : "dist/hail.js",
  bundle: true,
  write: native,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
});

if (!native) {
  mkdirSync("dist", { recursive: true });
  writeFileSync("dist/hail.js", withCode(`(function(require){${outputFiles[0].text}})`));
  chmodSync("dist/hail.js", 0o755);
  // Where it stands here it is CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
}

/**
 * A file that hands V8 the source and the code it once made of it, which saves compiling a fifth of
 * the time of a request. Another version of Node refuses the code and compiles the source.
 * With a `require` of its own it is CommonJS and an ES module alike, so it does not matter what a
 * package.json near a copy says.
 */
function withCode(source) {
  const folder = mkdtempSync(join(tmpdir(), "hail-code-"));
  try {
    const [sourceFile, codeFile] = [join(folder, "source"), join(folder, "code")];
    writeFileSync(sourceFile, source);
    execFileSync(process.execPath, [
      "compile.js",
      sourceFile,
      codeFile,
      "examples/allocate-drbd.json",
    ]);
    const code = readFileSync(codeFile).toString("base64");
    return [
      "#!/usr/bin/env node",
      'const { Script } = process.getBuiltinModule("node:vm");',
      `const source = ${JSON.stringify(source)};`,
      `const cachedData = Buffer.from("${code}", "base64");`,
      'const script = new Script(source, { filename: "hail.js", cachedData });',
      "script.runInThisContext()(process.getBuiltinModule);",
      "",
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
