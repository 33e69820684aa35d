// Bundles every program of package.json's `bin` into one file that runs wherever it is copied.
//
//   node build.js          dist/NAME.js: each program with its compiled form, for Node; dist/man: manual pages
//   node build.js native   dist/native/NAME: executables of some of them, which need no Node
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { nodeFile, pack } from "./node-file.js";

const programs = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).bin);

/**
 * Programs built as executables: those that run interactively on large inputs, or many times a minute. The
 * value is the factor by which JavaScriptCore compiles a function later than usual. hail ends before most
 * compilation pays off: the factor cuts its time for 3 nodes to three quarters, and its processor time
 * for 400 nodes to four fifths. The others mostly run longer and get a smaller factor.
 */
const jitPolicies = { hail: 20, hbal: 4, hspace: 4 };
const nativePrograms = Object.keys(jitPolicies).filter((name) => programs.includes(name));

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

/** Removes unused schemas from modules that are otherwise needed: constructing a schema has no side effects. */
const pureSchemas = {
  name: "pure-schemas",
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages.protocol.src.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      return { contents: source.replace(/\bz\.(?=\w+\()/g, "/* @__PURE__ */ z."), loader: "ts" };
    });
  },
};

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

if (process.argv[2] === "native") {
  mkdirSync("dist/native", { recursive: true });
  for (const { entry, file } of apart) {
    writeFileSync(join("dist/native", file), await bundle(entry));
  }
  for (const name of nativePrograms) await buildNative(name);
} else {
  mkdirSync("dist", { recursive: true });
  // In this place they are CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
  const packed = new Map();
  for (const { entry, file } of apart) packed.set(file, pack(await bundle(entry)));
  for (const name of programs) await buildForNode(name, packed);
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

async function buildNative(name) {
  const [file, executable] = [`dist/native/${name}.cjs`, `dist/native/${name}`];
  writeFileSync(file, await bundle(`src/${name}.ts`, apart));
  const options = [
    ...["--compile", "--bytecode", "--format=cjs", "--minify"],
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    `--compile-jit-policy=${jitPolicies[name]}`,
    ...["--outfile", executable],
  ];
  execFileSync("npx", ["--yes", "bun@1.4.5", "build", file, ...options], { stdio: "inherit" });
}

/** @param required modules that are required from files of their own */
async function bundle(entry, required = []) {
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
    plugins: [pureSchemas, versionOnly, ...required.map(elsewhere)],
  });
  return outputFiles[0].text;
}
