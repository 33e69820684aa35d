// Bundles every program of htools into one file that runs wherever it is copied.
//
//   node build.js          dist/NAME.js: each program with its compiled form, for Node; dist/bin: starters for PATH; dist/man: manual pages
//   node build.js native   dist/native/NAME: executables of some of them, which need no Node; hail's is a quick one for
//                          usual requests, which leaves all others to dist/native/hail-engine
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { writeCommands } from "../../tooling/starter.js";
import { deferImports } from "./deferred-modules.js";
import { nodeFile, pack } from "./node-file.js";

/** Programs with names that Debian's Ganeti has in PATH. */
const ofDebian = ["harep", "hbal", "hcheck", "hinfo", "hroller", "hscan", "hspace", "hsqueeze"];
const programs = ["hail", "htools", ...ofDebian];

/**
 * Executables made by Bun, of programs that run interactively on large inputs, or many times a minute. `jitPolicy` is
 * the factor by which JavaScriptCore compiles a function later than usual.
 */
const executables = [
  { executable: "hail-engine", program: "hail", jitPolicy: 20 },
  { executable: "hbal", program: "hbal", jitPolicy: 4 },
  { executable: "hspace", program: "hspace", jitPolicy: 4 },
];

/**
 * Rarely used modules, in separate bundles that are evaluated on demand. In the main bundle they and
 * their dependencies would be evaluated at every start.
 */
const apart = [
  {
    entry: "@ganeti-ts/rapi-client",
    wanted: /^@ganeti-ts.rapi-client$/,
    file: "./rapi-client.cjs",
  },
  {
    entry: "src/hail/explanation/explain.ts",
    wanted: /^\.\/explanation\/explain\.js$/,
    file: "./explanation.cjs",
  },
];

/** Replaces imports of a separately bundled module by `require` of its file. */
const elsewhere = ({ wanted, file }) => ({
  name: file,
  setup: ({ onResolve }) => {
    onResolve({ filter: wanted }, () => ({ path: file, external: true }));
  },
});

/**
 * Changes sources as they are read: unused schemas are removed from modules that are otherwise needed, because
 * constructing a schema has no side effects, and rarely needed modules are evaluated later.
 */
const changedSources = (leftOut) => ({
  name: "changed-sources",
  setup: ({ onLoad }) => {
    onLoad({ filter: /(apps.hail|packages.(htools|protocol)).src.*\.ts$/ }, ({ path }) => {
      const source = deferImports(path, readFileSync(path, "utf8"), leftOut);
      const isProtocol = /packages.protocol.src/.test(path);
      const contents = isProtocol
        ? source.replace(/\bz\.(?=\w+\()/g, "/* @__PURE__ */ z.")
        : source;
      return { contents, loader: "ts" };
    });
  },
});

/** Reduces package.json in the bundles to its version. */
const versionOnly = {
  name: "version-only",
  setup: ({ onLoad }) => {
    onLoad({ filter: /hail.package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

/** Files and streams of Bun instead of those of Node; hail alone ends too soon to load both. */
const nativeFiles = {
  name: "native-files",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/system-files\.js$/ }, ({ importer, resolveDir }) => {
      const isReplaced = importer.endsWith("system-ports.ts");
      return isReplaced ? { path: join(resolveDir, "native-files.ts") } : undefined;
    });
  },
};

if (process.argv[2] === "native") {
  mkdirSync("dist/native", { recursive: true });
  for (const { entry, file } of apart) {
    writeFileSync(join("dist/native", file), await bundle(entry));
  }
  for (const one of executables) await buildNative(one);
  await buildQuick();
} else {
  mkdirSync("dist", { recursive: true });
  // In this place they are CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
  const packed = new Map();
  for (const { entry, file } of apart) packed.set(file, pack(await bundle(entry)));
  for (const name of programs) await buildForNode(name, packed);
  writeCommands(ofDebian);
  await buildManual();
}

/** dist/man/NAME.1, from the data that the help of the programs is made of. */
async function buildManual() {
  const input = await bundle("src/manual-pages.ts");
  const pages = JSON.parse(execFileSync(process.execPath, ["-"], { input }));
  mkdirSync("dist/man", { recursive: true });
  for (const [file, page] of Object.entries(pages)) writeFileSync(`dist/man/${file}`, page);
}

async function buildForNode(name, packed) {
  const file = `dist/${name}.js`;
  const source = `(function(require){${await bundle(`src/${name}.ts`, apart)}})`;
  writeFileSync(file, nodeFile(name, source, packed));
  chmodSync(file, 0o755);
}

async function buildNative({ executable, program, jitPolicy }) {
  const file = `dist/native/${executable}.cjs`;
  const plugins = program === "hail" ? [nativeFiles] : [];
  writeFileSync(file, await bundle(`src/${program}.ts`, apart, plugins));
  const options = [
    ...["--compile", "--bytecode", "--format=cjs", "--minify"],
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    `--compile-jit-policy=${jitPolicy}`,
    ...["--outfile", `dist/native/${executable}`],
  ];
  execFileSync("npx", ["--yes", "bun@1.4.5", "build", file, ...options], { stdio: "inherit" });
}

/** hail, whose usual requests end before the engine of the other executables has started. */
async function buildQuick() {
  const file = "dist/native/hail.mjs";
  writeFileSync(file, await quickBundle());
  const words = ["quickjs-run", "quick-executable.js", file, "dist/native/hail"];
  const npm = ["exec", "--yes", "--package=@suchipi/quickjs@0.16.1", "--", ...words];
  execFileSync("npm", npm, { stdio: "inherit" });
}

async function quickBundle() {
  const { outputFiles } = await build({
    entryPoints: ["src/hail-native.ts"],
    bundle: true,
    write: false,
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["node"],
    target: "es2020",
    format: "esm",
    external: ["quickjs:*"],
    minify: true,
    plugins: [changedSources(true)],
  });
  return outputFiles[0].text;
}

/**
 * @param required modules that are required from files of their own
 * @param plugins further plugins of esbuild
 */
async function bundle(entry, required = [], plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    // Dynamic imports become `require`: code compiled by node:vm has no `import()`.
    supported: { "dynamic-import": false },
    minify: true,
    plugins: [changedSources(false), versionOnly, ...plugins, ...required.map(elsewhere)],
  });
  return outputFiles[0].text;
}
