// Bundles every program of package.json's `bin` into one file that runs wherever it is copied.
//
//   node build.js          dist/NAME.js: each program with its compiled form, for Node
//   node build.js native   dist/native/NAME: executables of some of them, which need no Node
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { engineSettings } from "./engine-settings.js";

const programs = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).bin);

/**
 * Those that somebody waits for, of large inputs or many times a minute; how many times longer than
 * usual a function runs before JavaScriptCore compiles it. hail is over before most of that is
 * repaid: of 3 nodes in three quarters of the time, of 400 in four fifths of the processor's.
 */
const jitPolicies = { hail: 20, hbal: 1, hspace: 1 };
const nativePrograms = Object.keys(jitPolicies).filter((name) => programs.includes(name));

/**
 * What a program needs only to talk to a cluster: a bundle of its own, evaluated when it is asked for.
 * In the bundle of the program its modules, and the schema library under them, would begin with it.
 */
const later = {
  entry: "@ganeti-ts/rapi-client",
  wanted: /^@ganeti-ts.rapi-client$/,
  file: "./rapi-client.cjs",
};

/** In an executable, which evaluates all that is in its bundle at the start, the explanations too. */
const laterWhereNative = [
  later,
  {
    entry: "src/hail/explanation/explain.ts",
    wanted: /^\.\/explanation\/explain\.js$/,
    file: "./explanation.cjs",
  },
];

/** Requires a module from a file of its own. */
const elsewhere = ({ wanted, file }) => ({
  name: file,
  setup: ({ onResolve }) => {
    onResolve({ filter: wanted }, () => ({ path: file, external: true }));
  },
});

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

if (process.argv[2] === "native") {
  mkdirSync("dist/native", { recursive: true });
  for (const { entry, file } of laterWhereNative) {
    writeFileSync(join("dist/native", file), await bundle(entry));
  }
  for (const name of nativePrograms) await buildNative(name);
} else {
  mkdirSync("dist", { recursive: true });
  // Where they stand here they are CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
  const packed = pack(await bundle(later.entry));
  for (const name of programs) await buildForNode(name, packed);
}

async function buildForNode(name, packed) {
  const file = `dist/${name}.js`;
  const source = `(function(require){${await bundle(`src/${name}.ts`, [later])}})`;
  writeFileSync(file, withCode(name, source, packed));
  chmodSync(file, 0o755);
}

async function buildNative(name) {
  const [file, executable] = [`dist/native/${name}.cjs`, `dist/native/${name}`];
  writeFileSync(file, await bundle(`src/${name}.ts`, laterWhereNative));
  const options = [
    ...["--compile", "--bytecode", "--format=cjs", "--minify"],
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    `--compile-jit-policy=${jitPolicies[name]}`,
    ...["--outfile", executable],
  ];
  execFileSync("npx", ["--yes", "bun@1.4.5", "build", file, ...options], { stdio: "inherit" });
}

/** @param apart modules that are required from files of their own */
async function bundle(entry, apart = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    // What loads later does so by `require`: code compiled by node:vm has no `import()`.
    supported: { "dynamic-import": false },
    minify: true,
    plugins: [pureSchemas, ...apart.map(elsewhere)],
  });
  return outputFiles[0].text;
}

/** A function that gives the exports of a CommonJS module. */
function pack(text) {
  const module = `(function(require){const module={exports:{}};${text};return module.exports})`;
  return brotliCompressSync(module).toString("base64");
}

/**
 * A file that hands V8 the source and the code it once made of it, which saves compiling a fifth of
 * the time of a request. Another version of Node refuses the code and compiles the source.
 * With a `require` of its own it is CommonJS and an ES module alike, so it does not matter what a
 * package.json near a copy says.
 */
function withCode(name, source, packed) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-code-`));
  try {
    const [sourceFile, codeFile] = [join(folder, "source"), join(folder, "code")];
    writeFileSync(sourceFile, source);
    execFileSync(process.execPath, ["compile.js", name, sourceFile, codeFile]);
    const code = readFileSync(codeFile).toString("base64");
    const start = source.includes(`require("${later.file}")`)
      ? [
          "const load = process.getBuiltinModule;",
          "let later;",
          "const unpack = () => {",
          `  const packed = Buffer.from("${packed}", "base64");`,
          '  const source = load("node:zlib").brotliDecompressSync(packed).toString();',
          "  return new Script(source).runInThisContext()(load);",
          "};",
          `const find = (name) => (name === "${later.file}" ? (later ??= unpack()) : load(name));`,
          "script.runInThisContext()(find);",
        ]
      : ["script.runInThisContext()(process.getBuiltinModule);"];
    return [
      "#!/usr/bin/env node",
      engineSettings,
      'const { Script } = process.getBuiltinModule("node:vm");',
      `const source = ${JSON.stringify(source)};`,
      `const cachedData = Buffer.from("${code}", "base64");`,
      `const script = new Script(source, { filename: "${name}.js", cachedData });`,
      ...start,
      "",
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
