// Bundles every program of package.json's `bin` into one file that runs wherever it is copied.
//
//   node build.js          dist/NAME.js: each program with its compiled form, for Node
//   node build.js native   dist/native/NAME: executables of some of them, which need no Node
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { nodeFile, pack } from "./node-file.js";

const programs = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).bin);

/**
 * Those that somebody waits for, of large inputs or many times a minute; how many times longer than
 * usual a function runs before JavaScriptCore compiles it. hail is over before most of that is
 * repaid: of 3 nodes in three quarters of the time, of 400 in four fifths of the processor's. The
 * others mostly run for longer; what does not repay there is compiled for nothing too.
 */
const jitPolicies = { hail: 20, hbal: 4, hspace: 4 };
const nativePrograms = Object.keys(jitPolicies).filter((name) => programs.includes(name));

/**
 * What few calls of a program need: bundles of their own, evaluated when they are asked for. In the
 * bundle of the program their modules, and what is under them, would begin with it.
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

/** Of package.json the programs contain the version only. */
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
  // Where they stand here they are CommonJS, which Node starts some milliseconds sooner.
  writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
  const packed = new Map();
  for (const { entry, file } of apart) packed.set(file, pack(await bundle(entry)));
  for (const name of programs) await buildForNode(name, packed);
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
    // What loads later does so by `require`: code compiled by node:vm has no `import()`.
    supported: { "dynamic-import": false },
    minify: true,
    plugins: [pureSchemas, versionOnly, ...required.map(elsewhere)],
  });
  return outputFiles[0].text;
}
