// Bundles every program of package.json's `bin` into one file that runs wherever it is copied.
//
//   node build.js          dist/NAME.js: each program with its compiled form, for Node
//   node build.js native   dist/native/NAME: executables of some of them, which need no Node
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { engineSettings } from "./engine-settings.js";

const programs = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).bin);

/** Those that somebody waits for, of large inputs or many times a minute. */
const nativePrograms = ["hail", "hbal", "hspace"].filter((name) => programs.includes(name));

if (process.argv[2] === "native") {
  for (const name of nativePrograms) await buildNative(name);
} else {
  mkdirSync("dist", { recursive: true });
  // Where they stand here they are CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
  for (const name of programs) await buildForNode(name);
}

async function buildForNode(name) {
  const file = `dist/${name}.js`;
  writeFileSync(file, withCode(name, `(function(require){${await bundle(name)}})`));
  chmodSync(file, 0o755);
}

async function buildNative(name) {
  const [file, executable] = [`dist/native/${name}.cjs`, `dist/native/${name}`];
  mkdirSync("dist/native", { recursive: true });
  writeFileSync(file, await bundle(name));
  const options = [
    ...["--compile", "--bytecode", "--format=cjs", "--minify"],
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    ...["--outfile", executable],
  ];
  execFileSync("npx", ["--yes", "bun@1.4.5", "build", file, ...options], { stdio: "inherit" });
}

async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [`src/${name}.ts`],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    minify: true,
  });
  return outputFiles[0].text;
}

/**
 * A file that hands V8 the source and the code it once made of it, which saves compiling a fifth of
 * the time of a request. Another version of Node refuses the code and compiles the source.
 * With a `require` of its own it is CommonJS and an ES module alike, so it does not matter what a
 * package.json near a copy says.
 */
function withCode(name, source) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-code-`));
  try {
    const [sourceFile, codeFile] = [join(folder, "source"), join(folder, "code")];
    writeFileSync(sourceFile, source);
    execFileSync(process.execPath, ["compile.js", name, sourceFile, codeFile]);
    const code = readFileSync(codeFile).toString("base64");
    return [
      "#!/usr/bin/env node",
      engineSettings,
      'const { Script } = process.getBuiltinModule("node:vm");',
      `const source = ${JSON.stringify(source)};`,
      `const cachedData = Buffer.from("${code}", "base64");`,
      `const script = new Script(source, { filename: "${name}.js", cachedData });`,
      "script.runInThisContext()(process.getBuiltinModule);",
      "",
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
